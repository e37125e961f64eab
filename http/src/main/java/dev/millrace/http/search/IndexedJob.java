package dev.millrace.http.search;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the index knows of a job. There are many: texts that jobs have in common are one object, and
 * times are milliseconds since the epoch, {@link #NEVER} where there is none.
 *
 * @param excerpt the start of its first prompt; null if it has none yet
 * @param folded name and excerpt in lower case: the JVM finds a text in it ten times as fast as one
 *     in any case
 * @param tasks of all stages
 * @param gate the stage that waits for nothing but an approval; 0 if none does
 * @param error the start of why it failed or cannot be read
 */
record IndexedJob(
    JobId id,
    @Nullable String name,
    @Nullable String excerpt,
    String folded,
    JobState state,
    Priority priority,
    Labels labels,
    long created,
    long started,
    long ended,
    int stages,
    Tasks tasks,
    int gate,
    @Nullable String error) {
  static final long NEVER = Long.MIN_VALUE;

  /**
   * What many jobs have in common.
   *
   * @param foldedTags all tags in lower case
   */
  record Labels(
      List<String> types,
      List<String> models,
      List<String> tags,
      String foldedTags,
      @Nullable String submittedBy) {
    static final Labels NONE = new Labels(List.of(), List.of(), List.of(), "", null);
  }

  /** Texts in the form in which searches look for them. */
  static String fold(List<String> texts) {
    return String.join("\n", texts).toLowerCase(Locale.ROOT);
  }

  /** How many tasks it has. */
  record Tasks(int total, int completed, int failed, int running) {
    static final Tasks NONE = new Tasks(0, 0, 0, 0);
  }

  /** A job that cannot be read. */
  static IndexedJob unreadable(JobId id, JobState state, String why) {
    return new IndexedJob(
        id,
        null,
        null,
        "",
        state,
        Priority.MEDIUM,
        Labels.NONE,
        Math.floorDiv(id.micros(), 1_000L),
        NEVER,
        NEVER,
        0,
        Tasks.NONE,
        0,
        why);
  }
}
