package dev.millrace.server;

import dev.millrace.core.store.Claim;
import java.time.Instant;

/** A task that a worker of this server runs, since when, and how far it is. */
public record RunningTask(Claim claim, Instant since, TaskProgress progress) {}
