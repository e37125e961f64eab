package dev.millrace.cli.read;

import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.cli.terminal.RateEstimator;
import dev.millrace.cli.terminal.TimeLeft;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * How fast a stage is now, and how long it will take: from its tokens if its tasks generate text,
 * else from how fast tasks end. Only what happens while it is watched counts.
 */
final class StageSpeed {
  private final @Nullable TokenMeter meter;
  private final RateEstimator tokens = RateEstimator.ofTokens();
  private final RateEstimator tasks = RateEstimator.ofTasks();

  /**
   * @param drafts whether unfinished output can be read
   */
  StageSpeed(boolean drafts, JobView job, int stage) {
    this.meter = drafts ? new TokenMeter(job, stage) : null;
  }

  /** Looks at the stage; {@code now} is in nanoseconds. */
  void sample(JobReader reader, StageView stage, long now) {
    tasks.sample(
        now, JobJson.completedTasks(stage) + stage.tasks().getOrDefault(TaskState.FAILED, 0));
    if (meter != null) {
      meter.poll(reader);
      tokens.sample(now, meter.generated());
    }
  }

  /**
   * Speed and remaining time, as far as they are known.
   *
   * @param unfinished how many tasks have not ended
   * @param data the parameters of all tasks
   */
  String text(int unfinished, JsonObject data) {
    if (meter == null || meter.generated() == 0) {
      double rate = tasks.perSecond();
      return (rate > 0 ? ", " + ProgressBar.rate(rate, "") : "")
          + TimeLeft.text(TimeLeft.of(unfinished, tasks.steadyPerSecond(), false));
    }
    double rate = tokens.perSecond();
    long most = data.get("max_tokens") instanceof Long limit ? limit * unfinished : -1;
    TimeLeft.Tokens work =
        new TimeLeft.Tokens(
            unfinished, meter.finished(), meter.finishedTokens(), meter.runningTokens(), most);
    return (rate > 0 ? ", " + ProgressBar.rate(rate, " tokens") : "")
        + TimeLeft.text(TimeLeft.of(work, tokens.steadyPerSecond()));
  }
}
