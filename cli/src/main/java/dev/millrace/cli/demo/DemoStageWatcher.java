package dev.millrace.cli.demo;

import dev.millrace.cli.terminal.RateEstimator;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Observes a stage of the demo's job as any reader could: through journals and results. */
final class DemoStageWatcher {
  private final JobReader store;
  private final JobId id;
  private final int stage;
  private final int limit;
  private final InstantSource clock;
  private final List<Text> texts = new ArrayList<>();
  // a short window: the rate shown is the current one
  private final RateEstimator speed = RateEstimator.ofTokens(Duration.ofSeconds(1));

  DemoStageWatcher(JobReader store, JobId id, int stage, int limit, InstantSource clock) {
    this.store = store;
    this.id = id;
    this.stage = stage;
    this.limit = limit;
    this.clock = clock;
  }

  /** The progress of the stage; {@code job} must have just been read. */
  DemoProgress observe(JobView job) {
    StageView view = job.stages().get(stage - 1);
    List<DemoProgress.Row> rows = new ArrayList<>();
    for (TaskView task : store.tasks(id, stage, 1, DemoJob.WORDS.size())) {
      while (texts.size() < task.task()) {
        texts.add(new Text(texts.size() + 1));
      }
      rows.add(texts.get(task.task() - 1).row(task));
    }
    Instant now = clock.instant();
    Instant from = view.startedAt() == null ? now : view.startedAt();
    Duration elapsed =
        Duration.between(from, view.completedAt() == null ? now : view.completedAt());
    DemoProgress frame = new DemoProgress(stage, view.state(), rows, elapsed, 0, limit);
    speed.sample(elapsed.toNanos(), frame.tokens());
    return frame.withRate(speed.perSecond());
  }

  /** The tokens of a receipt; without one, what was seen so far. */
  static long tokens(@Nullable TaskResult result, long otherwise) {
    JsonObject receipt = result == null ? null : result.receipt();
    return receipt == null ? otherwise : receipt.integer("completion_tokens", otherwise);
  }

  /** The known output of a task. */
  private final class Text {
    private final int number;
    private final StringBuilder text = new StringBuilder();
    private long tokens;
    private long next;

    Text(int number) {
      this.number = number;
    }

    DemoProgress.Row row(TaskView task) {
      TaskResult result = task.result();
      if (result != null) {
        tokens = tokens(result, tokens);
        text.setLength(0);
        text.append(result.text());
      } else if (task.state() == TaskState.IN_PROGRESS) {
        read();
      }
      return new DemoProgress.Row(number, task.state(), tokens, text.toString());
    }

    private void read() {
      JobReader.OutputSoFar draft = store.outputSoFar(id, stage, number, next);
      if (draft.from() != next) {
        text.setLength(0);
        tokens = 0;
      }
      text.append(draft.text());
      tokens += draft.pieces().stream().mapToInt(piece -> piece.tokens().size()).sum();
      next = draft.next();
    }
  }
}
