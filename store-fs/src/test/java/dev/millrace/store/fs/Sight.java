package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import java.util.TreeMap;

/**
 * What a user can see of each job, as text; less what a crash may change: whether an open task
 * waits, runs, or waits again.
 */
record Sight(TreeMap<JobId, String> jobs) {

  static final String NOWHERE = "nowhere";

  static Sight of(Reading store) {
    TreeMap<JobId, String> jobs = new TreeMap<>();
    for (JobId id : store.list(Reading.Query.all())) {
      jobs.put(id, of(store, id));
    }
    return new Sight(jobs);
  }

  String of(JobId id) {
    return jobs.getOrDefault(id, NOWHERE);
  }

  /** This sight of those jobs that the two others see alike; of the rest, what the last sees. */
  Sight where(Sight one, Sight last) {
    TreeMap<JobId, String> mixed = new TreeMap<>(last.jobs);
    for (JobId id : one.jobs.keySet()) {
      if (one.of(id).equals(last.of(id))) {
        mixed.put(id, of(id));
      }
    }
    return new Sight(mixed);
  }

  private static String of(Reading store, JobId id) {
    JobView view = store.find(id).orElseThrow();
    StringBuilder out = new StringBuilder();
    out.append(view.state()).append(view.completedAt() == null ? "" : ", ended");
    out.append(", ").append(view.error());
    out.append(", ").append(view.header().priority()).append(' ').append(view.header().metadata());
    out.append('\n');
    for (JobView.StageView stage : view.stages()) {
      out.append("  stage ")
          .append(stage.number())
          .append(' ')
          .append(open(stage.state()))
          .append(' ')
          .append(stage.error())
          .append(' ')
          .append(stage.metadata())
          .append('\n');
      for (TaskView task : store.tasks(id, stage.number(), 1, 1_000)) {
        out.append("    task ")
            .append(task.task())
            .append(' ')
            .append(open(task.state()))
            .append(" after ")
            .append(task.attempts())
            .append(" of ")
            .append(task.maxAttempts())
            .append(' ')
            .append(task.metadata())
            .append(" (")
            .append(task.error())
            .append("): ")
            .append(task.input())
            .append(" -> ")
            .append(task.result())
            .append('\n');
      }
    }
    return out.append("  ").append(store.spec(id).orElseThrow()).toString();
  }

  private static String open(StageState state) {
    return state.open() ? "OPEN" : state.name();
  }

  private static String open(TaskState state) {
    return state.queued() || state == TaskState.IN_PROGRESS ? "OPEN" : state.name();
  }
}
