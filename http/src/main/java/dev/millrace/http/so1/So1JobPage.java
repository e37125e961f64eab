package dev.millrace.http.so1;

import dev.millrace.api.So1State;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobView;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A page of jobs, newest first.
 *
 * @param next the job after which the next page starts; null on the last page
 */
record So1JobPage(List<JobView> jobs, @Nullable JobId next) {
  /** The most jobs to visit for a page: a page may be short without being the last. */
  private static final int MAX_VISITS = 2_000;

  /**
   * @param state the state of the jobs; null for any
   * @param beyond the last job of the previous page; null for the first page
   */
  static So1JobPage of(
      JobReader store,
      @Nullable So1State state,
      @Nullable String tag,
      int limit,
      @Nullable JobId beyond) {
    Set<JobState> states =
        state == null ? EnumSet.allOf(JobState.class) : So1StateMapping.storeStates(state);
    int wanted = limit + 1; // one more tells whether there is another page
    Query query = new Query(states, tag, null, true, wanted).beyond(beyond);
    List<JobView> jobs = new ArrayList<>();
    JobId last = beyond;
    for (int visited = 0; visited < MAX_VISITS; ) {
      List<JobId> ids = store.list(query.beyond(last));
      for (JobId id : ids.reversed()) {
        visited++;
        last = id;
        find(store, id)
            .filter(view -> state == null || So1StateMapping.of(view) == state)
            .ifPresent(jobs::add);
        if (jobs.size() == wanted) {
          jobs.removeLast();
          return new So1JobPage(jobs, jobs.getLast().header().id());
        }
      }
      if (ids.size() < wanted) {
        return new So1JobPage(jobs, null);
      }
    }
    return new So1JobPage(jobs, last);
  }

  /** A job that cannot be read is left out. */
  private static Optional<JobView> find(JobReader store, JobId id) {
    try {
      return store.find(id);
    } catch (JobException e) {
      return Optional.empty();
    }
  }
}
