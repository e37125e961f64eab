package dev.millrace.core.internal.store;

import dev.millrace.core.event.Fact;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.lease.Leases;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.time.Moment;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The port of a store: where jobs are kept. {@link RepositoryJobStore} does everything else, so
 * that a repository knows no rules. A job that is passed in is its caller's alone: its lock is held,
 * or no one else has it yet.
 *
 * @param <J> a job as this repository loads it
 */
public interface JobRepository<J extends StoredJob> {
  /** The present moment: steady time decides what is due, wall time is for the log. */
  Moment now();

  /** Part of the tokens of all claims that this process grants; no other process has it. */
  long epoch();

  /** Whether the process that granted claims under {@code epoch} is gone, and its workers too. */
  boolean isOver(long epoch);

  /** Throws if the repository can no longer keep what it is given. */
  void requireIntact();

  /** Reads a job in any state, with its log folded; null if there is none. */
  @Nullable J load(JobId id);

  /**
   * A text that changes when what is stored of a job does, as far as that can be told without
   * reading it; the same for all jobs that do not exist. Never throws.
   */
  String version(JobId id);

  /** Whether no other process has changed the job since it was read or last appended to. */
  boolean isCurrent(J job);

  /**
   * Whether all that a step does beside its update is refused or harmless if another process has
   * changed the job. Then {@link #isCurrent} is only asked of steps that record nothing: {@link
   * #append} checks the others.
   */
  default boolean refusesOutdatedSteps() {
    return false;
  }

  /** Whether this thread has seen, without looking now, that another process has changed the job. */
  default boolean isKnownOutdated(J job) {
    return false;
  }

  /**
   * Those of some jobs that {@link #isCurrent} has to be asked of: all, unless that costs less than
   * asking for each. Called without their locks.
   */
  default Collection<J> perhapsOutdated(Collection<J> jobs) {
    return jobs;
  }

  /**
   * Appends the entries of an update to the job's log, with what {@link #keepTasks}, {@link
   * #keepPartial} and template rendering wrote for it, and keeps the index of what can be claimed
   * true. The first entry must follow the last one that is kept.
   *
   * @return the commit after which all of it is durable
   * @throws ConcurrentUpdateException if another process has appended to the log since it was read
   */
  long append(J job, JobUpdate update) throws IOException;

  /** How many appends it can write together; 1: each by itself. */
  default int mostTogether() {
    return 1;
  }

  /** An append to one of several jobs. */
  record Append<J extends StoredJob>(J job, JobUpdate update) {}

  /**
   * As {@link #append} for several jobs, whose locks are all held, if it can write them together.
   *
   * @return the commit of each; 0 for a job to whose log another process has appended
   */
  default List<Long> appendTogether(List<Append<J>> appends) throws IOException {
    throw new UnsupportedOperationException("each append is written by itself");
  }

  /**
   * Whether this process may go on after entries are lost that were not durable, as after a crash of
   * a database. Then a worker's terms are durable before anything is journaled under them.
   */
  default boolean mayOutliveEntries() {
    return false;
  }

  /** Returns when that commit and all earlier ones are durable. */
  void awaitDurable(long commit);

  /** The last commit that is durable, with all earlier ones. */
  long lastDurable();

  /**
   * Called when a step with this job failed in an unexpected way, before it is read again.
   *
   * @return the exception to throw; null if the job was just moved or removed by someone else
   */
  @Nullable StoreException failed(J job, @Nullable IOException cause);

  /** What went wrong, for people. */
  String explain(IOException cause);

  /** Whether the problem is one of a single job, so that others can be worked on. */
  boolean isOfOneJob(StoreException problem);

  /** Called before an idle job is dropped from memory, to be read again later. */
  void letGo(J job);

  /** A task as submitted or, for a template, as rendered. */
  TaskSpec task(J job, StageFold stage, int task) throws IOException;

  /** Keeps the texts of tasks that the next update adds, behind the {@code known} ones. */
  Outcome keepTasks(J job, int stage, String type, int known, List<TaskSpec> tasks)
      throws IOException;

  /** Keeps a result, which counts only with its completion. */
  KeptResult keepResult(J job, Claim claim, TaskResult result) throws IOException;

  /**
   * Whether the append of an entry writes the result that it names: then it is kept in the same step
   * that records the entry, and only there.
   */
  default boolean keepsResultsWithEntries() {
    return false;
  }

  /**
   * Whether that result is still what is kept for its task: a second answer to the same claim may
   * have replaced it.
   */
  default boolean isKept(J job, KeptResult kept) {
    return true;
  }

  /** Keeps output that is not a result; durable with the next update, or soon in an ended job. */
  void keepPartial(J job, Claim claim, PartialOutput partial) throws IOException;

  /**
   * Whether it refuses journals of claims that are over by itself, and soon hears of all that other
   * processes change: then no journal has to wait for {@link #isCurrent}.
   */
  default boolean fencesJournals() {
    return false;
  }

  /**
   * Appends to the journal of a running task; durable sooner or later.
   *
   * @throws StoreException if it was not taken; the same call again may take it
   */
  void appendJournal(J job, ClaimKey claim, OutputChunk chunk) throws IOException;

  /** The journal of a task under its present terms; one that cannot be read counts as empty. */
  TaskJournal readJournal(J job, StageFold stage, int task);

  /** The terms that an entry of the job's log froze. */
  JsonObject frozenTerms(J job, long entry) throws IOException;

  /** Jobs in one of these final states that ended before that time. */
  Collection<JobId> endedBefore(Instant before, Set<JobState> states);

  /**
   * Deletes jobs, those that have ended; durable when this returns.
   *
   * @param removed gets each job that was deleted, also before a failure
   */
  void remove(Collection<JobId> ids, Consumer<JobId> removed);

  /** Writes something and takes it back; throws if the repository cannot be written. */
  default void tryWriting() throws IOException {}

  /** What can still be written, in bytes; -1 if that is not known. */
  default long freeBytes() {
    return -1;
  }

  /** The locks, timed waits and threads of the store. */
  default Threading threading() {
    return Threading.SYSTEM;
  }

  /** What can be claimed. */
  ClaimIndex index();

  /** The leases of claims. */
  Leases leases();

  /** Reads what is stored. */
  JobReader reader();

  NoteStore notes();

  /**
   * A result that is kept.
   *
   * @param commit after which it is durable
   */
  record KeptResult(Fact.Detail.Completed detail, long commit) {}
}
