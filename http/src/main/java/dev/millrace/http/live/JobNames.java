package dev.millrace.http.live;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.StoreException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Names of jobs, each read once, a few at a time: a name may come with a later look. Used by one
 * thread.
 */
final class JobNames {
  private static final int KEPT = 2_000;
  private static final int READ_AT_ONCE = 32;

  private final JobReader store;
  private int left;
  private final Map<JobId, Optional<String>> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<JobId, Optional<String>> eldest) {
          return size() > KEPT;
        }
      };

  JobNames(JobReader store) {
    this.store = store;
  }

  /** Call before each look. */
  void beginLook() {
    left = READ_AT_ONCE;
  }

  /** Null if the job has no name, or it is not known yet. */
  @Nullable String of(JobId job) {
    Optional<String> name = known.get(job);
    if (name == null && left > 0) {
      left--;
      name = read(job);
      if (name != null) {
        known.put(job, name);
      }
    }
    return name == null ? null : name.orElse(null);
  }

  /** Null if the store fails: it is asked again with the next look, as each call may take long. */
  private @Nullable Optional<String> read(JobId job) {
    try {
      return store.find(job).map(view -> view.header().name());
    } catch (StoreException e) {
      if (e.trouble() == null) {
        return Optional.empty(); // this job cannot be read, as the routes of jobs say
      }
      left = 0;
      return null;
    }
  }
}
