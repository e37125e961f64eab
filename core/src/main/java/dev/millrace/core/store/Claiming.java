package dev.millrace.core.store;

import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Pulse;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The workers' side. Every answer is fenced by the claim's token and durable when it returns. */
public interface Claiming {

  /**
   * PENDING or RETRIED to IN_PROGRESS, for the first tasks in claim order: priority, then age. Never
   * waits; empty if there is nothing to do.
   */
  List<Claim> claim(Demand demand);

  /** IN_PROGRESS to COMPLETED. */
  Answer complete(Claim claim, TaskResult result);

  /** IN_PROGRESS to RETRIED while attempts are left, else to FAILED. */
  Answer fail(Claim claim, Failure failure);

  /** IN_PROGRESS to RETRIED without costing an attempt. */
  Answer release(Claim claim, String reason);

  /**
   * Renews the lease and tells the worker what to do.
   *
   * @param progress whether the task got further since the last time: earlier crashes are forgiven
   */
  Pulse heartbeat(Claim claim, boolean progress);

  /** Adds a line to the job's log. Durable at the latest with the next answer. */
  void log(Claim claim, String level, String line);

  /**
   * What time brings about: run timeouts and queue timeouts, lost leases.
   *
   * @return how many tasks it moved
   */
  int sweep();

  /**
   * Waits until there may be something to claim, or {@code atMost} has passed. May return early.
   */
  void awaitWork(Duration atMost) throws InterruptedException;

  /** Whether nothing of these types runs, can be claimed, or will be claimable by itself. */
  boolean idle(Set<String> types);
}
