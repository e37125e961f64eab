package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** The workers' side. Every answer is fenced by the claim's token and durable when it returns. */
public interface TaskQueue {

  /**
   * PENDING or RETRIED to IN_PROGRESS, for the first tasks in claim order: priority, then age.
   * Never waits; empty if there is nothing to do.
   */
  List<Claim> claim(ClaimRequest request);

  /** The present claim of a running task; empty if none holds it, or there is no such task. */
  Optional<Claim> findClaim(JobId id, int stage, int task);

  /** IN_PROGRESS to COMPLETED. */
  Outcome complete(Claim claim, TaskResult result);

  /** IN_PROGRESS to RETRIED while attempts are left, else to FAILED. */
  Outcome fail(Claim claim, Failure failure);

  /** IN_PROGRESS to RETRIED without costing an attempt. */
  Outcome release(Claim claim, String reason);

  /**
   * Renews the lease and tells the worker what to do.
   *
   * @param progress whether the task got further since the last time: earlier crashes are forgiven
   */
  ClaimSignal heartbeat(Claim claim, boolean progress);

  /**
   * Keeps what this attempt settled for all later ones; what was journaled before is dropped.
   * Durable at the latest with the next answer.
   */
  Outcome freeze(Claim claim, JsonObject terms);

  /**
   * Adds to the task's journal, from which another attempt goes on and which readers follow. Never
   * waits for a sync: a tail that a power loss takes is generated again. A journal is an aid, so
   * one that cannot be written ends there, and the task goes on. Counts as a heartbeat, and with
   * tokens as progress. {@link OutputChunk#EMPTY} says that the task is at work: against a task that
   * froze its terms a crash counts only from then on, and not once it has journaled tokens in this
   * claim.
   *
   * @return what to do, as {@link #heartbeat} would say; nothing is added unless the claim holds
   */
  ClaimSignal appendJournal(Claim claim, OutputChunk piece);

  /**
   * Calls {@code watcher} whenever a job with running tasks is paused, held, aborted or fails, as
   * soon as that is durable; a heartbeat then says which. On the thread that changed it: it should
   * only pass the word on. One watcher at a time.
   */
  void onLever(Consumer<JobId> watcher);

  /** Adds a line to the job's log. Durable at the latest with the next answer. */
  void log(Claim claim, String level, String line);

  /**
   * What time brings about: run timeouts that no worker owned up to, queue timeouts, lost leases.
   *
   * @return how many tasks it moved
   */
  int sweep();

  /**
   * Waits until there may be something to claim that there was not when {@code seen} was answered,
   * or {@code atMost} has passed. May return early. Any number may wait at once.
   *
   * @param seen what this answered the last time; 0 at first, which returns at once
   */
  long awaitWork(long seen, Duration atMost) throws InterruptedException;

  /** Whether nothing of these types runs, can be claimed, or will be claimable by itself. */
  boolean isIdle(Set<String> types);
}
