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

/**
 * Claims tasks and takes the answers of workers. Every answer is fenced by the claim's token and
 * durable when the method returns.
 */
public interface TaskQueue {

  /**
   * PENDING or RETRIED to IN_PROGRESS, for the first tasks in claim order: priority, then age;
   * or for those of one job, if the request names it. Never waits; empty if there is nothing to claim.
   */
  List<Claim> claim(ClaimRequest request);

  /** The present claim of a running task; empty if it is not running or does not exist. */
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
   * @param progress whether the task made progress since the last call; earlier crashes then no
   *     longer count
   */
  ClaimSignal heartbeat(Claim claim, boolean progress);

  /**
   * Stores the terms that this attempt fixed for all later ones, and drops what was journaled
   * before. Durable with the next answer at the latest.
   */
  Outcome freeze(Claim claim, JsonObject terms);

  /**
   * Appends to the task's journal, from which a later attempt resumes and which readers follow.
   * Never waits for a sync: what a power loss takes is generated again. If a journal cannot be
   * written, it ends there and the task continues. Counts as a heartbeat, and with tokens as
   * progress. A crash counts against the task, except between {@link OutputChunk#WAITING}, which
   * says that it only waits for its turn, and {@link OutputChunk#EMPTY}, which says that it has
   * started; and no longer once it has journaled tokens in this claim.
   *
   * <p>While the store fails, this throws, and the piece is not taken: repeat the call with it before
   * any other piece of this claim.
   *
   * @return what to do, as {@link #heartbeat} would say; nothing is appended unless the claim is
   *     present
   */
  ClaimSignal appendJournal(Claim claim, OutputChunk piece);

  /**
   * Calls {@code watcher} whenever a job with running tasks is paused, held, aborted or fails, as
   * soon as that is durable; a heartbeat then says which. The call is on the thread that made the
   * change and must return quickly. There is one watcher at a time.
   */
  void onLever(Consumer<JobId> watcher);

  /**
   * Adds a line to the job's log. Durable with the next answer at the latest. A long line is cut;
   * when a task or a job has logged too much, one line says so and later ones are dropped.
   */
  void log(Claim claim, String level, String line);

  /**
   * Ends what has timed out: attempts over their run timeout, tasks over their queue timeout,
   * claims over their lease.
   *
   * @return how many tasks changed
   */
  int sweep();

  /**
   * Waits until there may be something new to claim since {@code seen} was returned, or
   * {@code atMost} has passed. May return early. Any number of threads may wait.
   *
   * @param seen what this method returned last; 0 at first, which returns at once
   */
  long awaitWork(long seen, Duration atMost) throws InterruptedException;

  /** Whether no task of these types is running or can be claimed, now or later without a user. */
  boolean isIdle(Set<String> types);
}
