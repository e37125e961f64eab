package dev.millrace.cli.move;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.LiveLines;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.cli.terminal.RateEstimator;
import dev.millrace.cli.terminal.TimeLeft;
import dev.millrace.core.job.JobId;
import dev.millrace.core.move.MoveListener;
import java.time.Duration;
import java.util.List;

/** Shows how many jobs have moved: a bar on a terminal, elsewhere a line now and then. */
final class MoveProgress implements MoveListener {
  private static final long PERIOD = Duration.ofSeconds(10).toNanos();
  private static final long FRAME = Duration.ofMillis(100).toNanos();

  private final Shell shell;
  private final LiveLines live;
  private final ProgressBar bar;
  private final RateEstimator rate = RateEstimator.ofTasks();
  private long total;
  private long done;
  private long shown = System.nanoTime();

  MoveProgress(Shell shell) {
    this.shell = shell;
    this.live = new LiveLines(shell);
    this.bar = ProgressBar.of(shell);
  }

  @Override
  public void started(long jobs) {
    total = jobs;
  }

  @Override
  public void done(JobId id) {
    done++;
    total = Math.max(total, done);
    long now = System.nanoTime();
    rate.sample(now, done);
    if (now - shown >= (live.isSupported() ? FRAME : PERIOD)) {
      shown = now;
      show();
    }
  }

  private void show() {
    double perSecond = rate.perSecond();
    String text =
        done
            + "/"
            + total
            + (perSecond > 0 ? ", " + ProgressBar.rate(perSecond, " jobs") : "")
            + TimeLeft.text(TimeLeft.of(total - done, rate.steadyPerSecond(), false));
    if (live.isSupported()) {
      live.show(List.of(bar.bar(done, total) + " " + text));
    } else {
      shell.err().println(text);
      shell.err().flush();
    }
  }

  void end() {
    live.clear();
  }
}
