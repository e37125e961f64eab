package dev.millrace.core.store;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task as a reader sees it. {@code stage} and {@code task} count from 1.
 *
 * @param attempts failures so far
 * @param token of its last claim, which may have ended
 * @param bare whether the worker of that claim cannot say the token
 * @param updatedAt when it entered its present state, or its metadata was replaced since
 * @param notBefore end of its backoff, while it runs
 */
public record TaskView(
    int stage,
    int task,
    TaskState state,
    int attempts,
    int maxAttempts,
    @Nullable String worker,
    @Nullable FencingToken token,
    boolean tokenless,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    @Nullable Instant notBefore,
    @Nullable Object input,
    JsonObject metadata,
    @Nullable TraceContext trace,
    @Nullable TaskResult result,
    @Nullable String error) {}
