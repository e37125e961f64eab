package dev.millrace.cli.place;

import dev.millrace.cli.args.UsageException;
import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where jobs are: a workspace's directory, or a server. Commands do not know which. What a place
 * cannot do, it says itself, by a {@link UsageException}.
 */
public interface Place extends AutoCloseable {

  /** The place as the user named it. */
  String name();

  Work work();

  JobReader reader();

  /** Runs an ended job again; the request has no id. */
  RetryResult retry(RetryRequest request);

  /** Carries out a lever. */
  Outcome apply(JobId id, Lever lever, Cause cause);

  /**
   * Deletes jobs that ended before {@code before} in one of the final {@code states}.
   *
   * @return how many were deleted
   */
  int prune(Instant before, Set<JobState> states);

  /** The jobs that {@link #prune} would delete. Deletes nothing. */
  PruneDryRun dryRunPrune(Instant before, Set<JobState> states);

  /** The frozen terms of the job's tasks; tasks that no model has started have none. */
  Map<EntityId, JsonObject> frozenTerms(JobId id);

  /** What no other store has; null if it has none yet, or is a server. */
  default @Nullable String identity() {
    return null;
  }

  /** A job that was taken out to move it to another store; empty if none has this id. */
  default Optional<TakenOutJob> takenOut(JobId id) {
    return Optional.empty();
  }

  /** All jobs that were taken out and are still kept here, moved or not. */
  default void forEachTakenOut(Consumer<TakenOutJob> jobs) {}

  /** The process that owns the place and processes its jobs. */
  PlaceOwner owner();

  /** The job's files; none if they cannot be reached. */
  JobArtifacts artifacts(JobId id);

  /** Whether {@link JobReader#outputSoFar} can be read of many tasks at once, to measure them. */
  boolean metersDrafts();

  /** How often a command that follows a job may poll it. */
  Duration pollInterval();

  /**
   * This place, for a command that processes its jobs or stops the process that does.
   *
   * @throws UsageException if no process on this machine can own it
   */
  OwnablePlace requireOwnable();

  @Override
  void close();
}
