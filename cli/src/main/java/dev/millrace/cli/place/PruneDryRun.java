package dev.millrace.cli.place;

import dev.millrace.cli.command.ErrorText;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a deletion of old jobs would do.
 *
 * @param ids the jobs that would be deleted, oldest first
 * @param unreadable jobs that could not be judged, and why
 */
public record PruneDryRun(List<JobId> ids, Map<JobId, String> unreadable) {

  /** Reads each job in one of the final {@code states}. */
  static PruneDryRun of(JobReader reader, Instant before, Set<JobState> states) {
    List<JobId> old = new ArrayList<>();
    Map<JobId, String> unreadable = new LinkedHashMap<>();
    for (JobId id : reader.list(JobReader.Query.in(states))) {
      try {
        JobView view = reader.find(id).orElse(null);
        if (view != null && view.completedAt() != null && view.completedAt().isBefore(before)) {
          old.add(id);
        }
      } catch (StoreException e) {
        unreadable.put(id, ErrorText.of(e));
      }
    }
    return new PruneDryRun(old, unreadable);
  }
}
