package dev.millrace.client;

import dev.millrace.api.PrunableJob;
import dev.millrace.api.UnreadableJob;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a dry run of the deletion lists: one page, or the pages together.
 *
 * @param jobs the jobs that would be deleted, oldest first
 * @param unreadable jobs that could not be read; a deletion may delete them
 * @param next the cursor of the next page; null on the last page
 */
public record PrunableJobs(
    List<PrunableJob> jobs, List<UnreadableJob> unreadable, @Nullable String next) {
  public PrunableJobs {
    jobs = List.copyOf(jobs);
    unreadable = List.copyOf(unreadable);
  }
}
