package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A job as it is stored, with the start of its log.
 *
 * @param key of its rows; 0 if it has none yet
 * @param spec as submitted, without tasks
 * @param inline the tasks that are part of its document, by stage; empty if they have rows
 * @param lastNumber of its log
 * @param version another one after each change
 * @param entries what the first appends wrote, at most {@link EntryRows#PAGE} of them
 */
public record JobRow(
    long key,
    JobId id,
    JobSpec spec,
    List<List<TaskSpec>> inline,
    JobPlan plan,
    JobState state,
    long lastNumber,
    long version,
    List<String> entries) {

  /** Longer inputs have rows of their own, which are read when they are needed. */
  private static final int MOST_INLINE = 4_000;

  /**
   * Whether the tasks of a job are part of its document: they are few and short, and stay as they
   * are.
   */
  public static boolean isInline(JobSpec whole, JobPlan plan) {
    long size = 0;
    for (int stage = 0; stage < whole.stages().size(); stage++) {
      StageSpec spec = whole.stages().get(stage);
      if (plan.stages().get(stage).template() || spec.each() != null) {
        return false;
      }
      for (TaskSpec task : spec.tasks()) {
        size += size > MOST_INLINE ? 0 : 50 + Json.write(JobDocument.task(task)).length();
      }
    }
    return size <= MOST_INLINE;
  }

  /** The tasks of a job by stage. */
  static List<List<TaskSpec>> tasks(JobSpec whole) {
    return whole.stages().stream().map(StageSpec::tasks).toList();
  }

  /** A job without its tasks. */
  public static JobSpec withoutTasks(JobSpec whole) {
    return whole.withStages(
        whole.stages().stream().map(stage -> stage.withTasks(List.of())).toList());
  }

  /**
   * A job that has no rows yet.
   *
   * @param whole with its tasks
   */
  public static JobRow submitted(JobId id, JobSpec whole, Instant now, long version) {
    JobPlan plan = JobPlan.of(whole, now);
    List<List<TaskSpec>> inline = isInline(whole, plan) ? tasks(whole) : List.of();
    return new JobRow(
        0, id, withoutTasks(whole), inline, plan, JobState.CREATED, 1, version, List.of());
  }

  /** The same with rows. */
  public JobRow withKey(long rows) {
    return new JobRow(rows, id, spec, inline, plan, state, lastNumber, version, entries);
  }

  /** The field beside those of a document: a user's document cannot have it. */
  static final String SUBMITTED_BY = "submittedBy";

  /** Its document as it is written, with who submitted it. */
  public String document() {
    JobSpec written = spec;
    if (!inline.isEmpty()) {
      List<StageSpec> stages = new ArrayList<>();
      for (StageSpec stage : spec.stages()) {
        stages.add(stage.withTasks(inline.get(stages.size())));
      }
      written = spec.withStages(stages);
    }
    return Json.write(
        JobDocument.write(written, true).putIfPresent(SUBMITTED_BY, spec.submittedBy()));
  }

  /** How many tasks of a stage are in the document. */
  int inlineTasks(int stage) {
    return stage > inline.size() ? 0 : inline.get(stage - 1).size();
  }

  public Instant createdAt() {
    return plan.createdAt();
  }
}
