package dev.millrace.store.postgres.chaos.job;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for one job, and what was answered. Any number of threads add to it.
 *
 * @param spec as submitted; null for one that retries another
 * @param acknowledged whether its submitter was told that it is there
 */
public record JobHistory(
    JobId id,
    JobShape shape,
    @Nullable JobSpec spec,
    AtomicBoolean acknowledged,
    Queue<WorkerAnswer> answers,
    Queue<Pulled> levers) {

  /**
   * A user's request, and its outcome.
   *
   * @param op its id, which its entry in the log has
   */
  public record Pulled(String op, Lever lever, Outcome outcome) {}

  public JobHistory(JobId id, JobShape shape, @Nullable JobSpec spec) {
    this(
        id,
        shape,
        spec,
        new AtomicBoolean(),
        new ConcurrentLinkedQueue<>(),
        new ConcurrentLinkedQueue<>());
  }

  /** Its submitter was told that it is there. */
  public void acknowledge() {
    acknowledged.set(true);
  }

  public boolean isAcknowledged() {
    return acknowledged.get();
  }
}
