package dev.millrace.cli.batch;

import dev.millrace.core.job.JobId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which task answers which line of a batch, and what is still to be submitted.
 *
 * @param sources the task of each line, in their order; null where none has or will have the answer
 * @param jobs that answer lines of the file, the latest first
 * @param obsolete jobs with unfinished lines that are no longer in the file
 * @param retried how many of the lines without a source failed before
 * @param removed custom_ids of earlier requests that are no longer in the file
 * @param lastPart the highest number of a job of this batch; 0 if there is none
 */
record BatchPlan(
    List<@Nullable Source> sources,
    Map<JobId, Share> jobs,
    List<JobId> obsolete,
    int retried,
    Set<String> removed,
    long lastPart) {

  /**
   * A task with the answer of a line.
   *
   * @param old whether the job is of a version whose ids counted the lines of the file
   */
  record Source(JobId job, int task, boolean old) {}

  /**
   * What a job contributes.
   *
   * @param lines of the file that it answers
   * @param failedOthers how many of its failed tasks are not among them
   */
  record Share(int lines, int failedOthers) {}

  /** The positions of lines without a source. */
  List<Integer> missing() {
    List<Integer> missing = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      if (sources.get(i) == null) {
        missing.add(i);
      }
    }
    return missing;
  }

  /** The same with a further job that answers the missing lines, in their order. */
  BatchPlan with(JobId job, List<Integer> lines) {
    List<@Nullable Source> all = new ArrayList<>(sources);
    for (int i = 0; i < lines.size(); i++) {
      all.set(lines.get(i), new Source(job, i + 1, false));
    }
    Map<JobId, Share> more = new LinkedHashMap<>();
    more.put(job, new Share(lines.size(), 0));
    more.putAll(jobs);
    return new BatchPlan(all, more, obsolete, 0, new LinkedHashSet<>(removed), lastPart + 1);
  }
}
