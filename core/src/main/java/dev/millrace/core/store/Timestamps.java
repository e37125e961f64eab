package dev.millrace.core.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When a job or a task was created, last changed, started and completed.
 *
 * @param updatedAt when anything about it last changed
 * @param startedAt when a worker first claimed a task of it; null before
 * @param completedAt when it reached a final state; null before
 */
public record Timestamps(
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt) {}
