package dev.millrace.store.fs.internal.files;

import dev.millrace.core.job.JobId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Caches jobs that were read recently, because logs can be long. The last one is kept whatever its
 * size, others while there is room. Thread-safe.
 */
public final class RecentJobCache<T> {
  private static final int MOST_JOBS = 64;
  private static final long MOST_BYTES =
      Math.min(32_000_000, Runtime.getRuntime().maxMemory() / 16);

  private record Kept<T>(T job, long bytes) {}

  private final Map<JobId, Kept<T>> jobs = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  public synchronized @Nullable T get(JobId id) {
    Kept<T> kept = jobs.get(id);
    return kept == null ? null : kept.job();
  }

  /**
   * Adds a job or replaces it.
   *
   * @param read about how many bytes of memory it takes
   */
  public synchronized void put(JobId id, T job, long read) {
    drop(jobs.put(id, new Kept<>(job, read)));
    bytes += read;
    Iterator<Kept<T>> eldest = jobs.values().iterator();
    while (jobs.size() > 1 && (jobs.size() > MOST_JOBS || bytes > MOST_BYTES)) {
      Kept<T> next = eldest.next();
      eldest.remove();
      drop(next);
    }
  }

  private void drop(@Nullable Kept<T> kept) {
    bytes -= kept == null ? 0 : kept.bytes();
  }
}
