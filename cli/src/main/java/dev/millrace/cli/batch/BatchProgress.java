package dev.millrace.cli.batch;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.terminal.LiveLines;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.cli.terminal.RateEstimator;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.List;

/** Shows the progress of a batch: a bar on a terminal, elsewhere a line now and then. */
final class BatchProgress {
  private static final long PERIOD = Duration.ofSeconds(10).toNanos();

  private final Shell shell;
  private final LiveLines live;
  private final ProgressBar bar;
  private final RateEstimator tasks = new RateEstimator();
  private final RateEstimator tokens = new RateEstimator();
  private long lastPrinted = System.nanoTime();

  BatchProgress(Shell shell) {
    this.shell = shell;
    this.live = new LiveLines(shell);
    this.bar = ProgressBar.of(shell);
  }

  /**
   * @param generated tokens so far; negative if unknown
   * @param note more to show; may be empty
   */
  void show(JobView job, long generated, String note) {
    StageView stage = job.stages().getFirst();
    long now = System.nanoTime();
    int failed = stage.tasks().getOrDefault(TaskState.FAILED, 0);
    int ended = JobJson.completedTasks(stage) + failed;
    tasks.sample(now, ended);
    if (generated >= 0) {
      tokens.sample(now, generated);
    }
    String text = ended + "/" + stage.total() + text(stage, ended, failed) + note(job, note);
    if (live.isSupported()) {
      live.show(List.of(bar.bar(ended, stage.total()) + " " + text));
    } else if (now - lastPrinted >= PERIOD) {
      lastPrinted = now;
      shell.err().println(text);
      shell.err().flush();
    }
  }

  private String text(StageView stage, int ended, int failed) {
    double rate = tasks.perSecond();
    double speed = tokens.perSecond();
    return (failed > 0 ? ", " + failed + " failed" : "")
        + (rate > 0 ? ", " + ProgressBar.rate(rate, " requests") : "")
        + (speed > 0 ? ", " + ProgressBar.rate(speed, " tokens") : "")
        + ProgressBar.remaining(tasks.timeFor(stage.total() - ended));
  }

  private static String note(JobView job, String note) {
    String paused = Status.of(job.state()) == Status.PAUSED ? "paused" : "";
    String both = paused + (paused.isEmpty() || note.isEmpty() ? "" : "; ") + note;
    return both.isEmpty() ? "" : "; " + both;
  }

  void print(String line) {
    live.printAbove(line);
  }

  void end() {
    live.clear();
  }
}
