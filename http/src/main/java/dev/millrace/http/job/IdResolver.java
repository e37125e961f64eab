package dev.millrace.http.job;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Subscription;
import dev.millrace.http.route.Problem;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Resolves the ids that clients send. Most UUIDs contain the job's id. A job whose directory was
 * named by other software has a hash as its UUID, and is looked up in an index. Close it before the
 * store.
 */
public final class IdResolver implements AutoCloseable {
  /** Stage and task are the last 28 bits of a UUID: without them it names the job. */
  private static final long WITHIN_JOB = (1L << 28) - 1;

  private final HashedJobIndex hashed;
  private final Subscription changes;

  public IdResolver(JobStore store) {
    this(store, System::nanoTime);
  }

  /**
   * @param clock nanoseconds since any origin
   */
  IdResolver(JobStore store, LongSupplier clock) {
    this.hashed = new HashedJobIndex(store, clock);
    this.changes = store.onChange(hashed::add);
  }

  /**
   * The job with this UUID or store id. The job need not exist.
   *
   * @throws Problem NOT_FOUND for a UUID that cannot be a job's, INVALID if it is not a UUID
   */
  public JobId job(String text) {
    Optional<JobId> plain = JobId.parse(text);
    if (plain.isPresent()) {
      return plain.get();
    }
    return find(text, "job").filter(id -> id.stage() == 0).orElseThrow(() -> none("job")).job();
  }

  /** Like {@link #job} for a stage. */
  public EntityId stage(String text) {
    return find(text, "stage")
        .filter(id -> id.stage() > 0 && id.task() == 0)
        .orElseThrow(() -> none("stage"));
  }

  /** Like {@link #job} for a task. */
  public EntityId task(String text) {
    return find(text, "task").filter(id -> id.task() > 0).orElseThrow(() -> none("task"));
  }

  private Optional<EntityId> find(String text, String what) {
    UUID uuid =
        EntityId.parse(text)
            .orElseThrow(
                () -> new Problem(Problem.Kind.INVALID, "the id of a " + what + " must be a UUID"));
    if (!EntityId.isHashed(uuid)) {
      return EntityId.of(uuid);
    }
    return hashed
        .find(new UUID(uuid.getMostSignificantBits(), jobPart(uuid)))
        .flatMap(job -> EntityId.of(uuid, job));
  }

  private static long jobPart(UUID uuid) {
    return uuid.getLeastSignificantBits() & ~WITHIN_JOB;
  }

  private static Problem none(String what) {
    return new Problem(
        Problem.Kind.NOT_FOUND,
        what.toUpperCase(Locale.ROOT) + "_NOT_FOUND",
        "there is no such " + what);
  }

  @Override
  public void close() {
    changes.close();
  }
}
