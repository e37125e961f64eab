package dev.millrace.cli.read;

import dev.millrace.cli.format.PipeWaitText;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;

/** One line about the server of a workspace: pid, running tasks, tokens per second. */
final class ServerStatusLine {
  /** Limits the number of jobs that are read, so that the answer is fast. */
  private static final int MOST = 50;

  private static final Duration LATE = Duration.ofMinutes(5);

  private final Place place;
  private final JobReader reader;

  ServerStatusLine(Place place) {
    this.place = place;
    this.reader = place.reader();
  }

  /** Empty if there is no server. */
  String text() {
    PlaceOwner owner = place.owner();
    if (!owner.held() || !owner.ready()) {
      return "";
    }
    int running = running();
    double speed = tokensPerSecond();
    StringBuilder out = new StringBuilder();
    owner.pid().ifPresent(pid -> out.append("pid ").append(pid).append(", "));
    out.append(NumberText.of(running, "task")).append(" running");
    if (speed > 0) {
      out.append(", ").append(ProgressBar.rate(speed, " tokens"));
    }
    PipeWaitText.sentences(owner.info()).forEach(each -> out.append("; ").append(each));
    return out.toString();
  }

  private int running() {
    int running = 0;
    for (JobId id : newest(JobState.IN_PROGRESS)) {
      for (StageView stage : reader.find(id).map(JobView::stages).orElse(List.of())) {
        running += stage.tasks().getOrDefault(TaskState.IN_PROGRESS, 0);
      }
    }
    return running;
  }

  /** The recent speed, from the receipts of the last completed prompts; 0 if there are none. */
  private double tokensPerSecond() {
    Instant since = Instant.now().minus(LATE);
    Instant first = Instant.MAX;
    Instant last = Instant.MIN;
    long tokens = 0;
    for (JobId id : newest(JobState.COMPLETED)) {
      JobView job = reader.find(id).orElse(null);
      if (job == null || job.completedAt() == null || job.completedAt().isBefore(since)) {
        continue;
      }
      for (TaskView task : reader.tasks(id, 1, 1, 1)) {
        JsonObject receipt = task.result() == null ? null : task.result().receipt();
        if (receipt != null && task.startedAt() != null && task.completedAt() != null) {
          tokens += receipt.integer("completion_tokens", 0);
          first = task.startedAt().isBefore(first) ? task.startedAt() : first;
          last = task.completedAt().isAfter(last) ? task.completedAt() : last;
        }
      }
    }
    return tokens == 0 || !last.isAfter(first)
        ? 0
        : tokens / (Duration.between(first, last).toNanos() / 1e9);
  }

  private List<JobId> newest(JobState state) {
    return reader.list(JobReader.Query.in(EnumSet.of(state)).newest(MOST));
  }
}
