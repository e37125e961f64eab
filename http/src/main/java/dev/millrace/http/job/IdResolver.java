package dev.millrace.http.job;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import dev.millrace.http.route.Problem;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the ids that clients send. Most UUIDs contain the job's id. A job whose directory was
 * named by other software has a hash as its UUID: it is looked up among all jobs, and cached.
 */
public final class IdResolver {
  private static final int MAX_CACHED = 10_000;

  /** How long an unknown id is not searched again. */
  private static final Duration MISSING = Duration.ofSeconds(3);

  /** Stage and task are the last 28 bits of a UUID: without them it names the job. */
  private static final long WITHIN_JOB = (1L << 28) - 1;

  private final JobReader store;
  private final Map<UUID, JobId> foreign = new Cache<>();
  private final Map<UUID, Long> missing = new Cache<>(); // expiry in nanos; guarded by foreign

  public IdResolver(JobReader store) {
    this.store = store;
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
    JobId job = foreign(new UUID(uuid.getMostSignificantBits(), jobPart(uuid)));
    return job == null ? Optional.empty() : EntityId.of(uuid, job);
  }

  private static long jobPart(UUID uuid) {
    return uuid.getLeastSignificantBits() & ~WITHIN_JOB;
  }

  private @Nullable JobId foreign(UUID job) {
    synchronized (foreign) {
      JobId known = foreign.get(job);
      Long until = missing.get(job);
      if (known != null || until != null && System.nanoTime() - until < 0) {
        return known;
      }
      for (JobId id : store.list(JobReader.Query.all())) {
        UUID uuid = EntityId.of(id).uuid();
        if (EntityId.isHashed(uuid)) {
          foreign.put(uuid, id);
        }
        known = uuid.equals(job) ? id : known;
      }
      if (known == null) {
        missing.put(job, System.nanoTime() + MISSING.toNanos());
      }
      return known;
    }
  }

  private static Problem none(String what) {
    return new Problem(
        Problem.Kind.NOT_FOUND,
        what.toUpperCase(Locale.ROOT) + "_NOT_FOUND",
        "there is no such " + what);
  }

  /** A cache that evicts the least recently used entry. */
  private static final class Cache<V> extends LinkedHashMap<UUID, V> {
    private static final long serialVersionUID = 1L;

    Cache() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<UUID, V> eldest) {
      return size() > MAX_CACHED;
    }
  }
}
