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
 * @param next where the next one goes on; null if there is none
 */
record So1JobPage(List<JobView> jobs, @Nullable JobId next) {
  /** Jobs that are looked at for one page: it may be short, and still not the last one. */
  private static final int MOST_LOOKED_AT = 2_000;

  /**
   * @param state in which they are; null: in any
   * @param beyond the last of the page before; null at first
   */
  static So1JobPage of(
      JobReader store,
      @Nullable So1State state,
      @Nullable String tag,
      int limit,
      @Nullable JobId beyond) {
    Set<JobState> among = state == null ? EnumSet.allOf(JobState.class) : So1StateMapping.storeStates(state);
    int wanted = limit + 1; // one more, to know whether there is another page
    Query query = new Query(among, tag, null, true, wanted, beyond);
    List<JobView> jobs = new ArrayList<>();
    JobId last = beyond;
    for (int looked = 0; looked < MOST_LOOKED_AT; ) {
      List<JobId> ids = store.list(query.beyond(last));
      for (JobId id : ids.reversed()) {
        looked++;
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

  /** A job that cannot be read keeps nobody from reading the others. */
  private static Optional<JobView> find(JobReader store, JobId id) {
    try {
      return store.find(id);
    } catch (JobException e) {
      return Optional.empty();
    }
  }
}
