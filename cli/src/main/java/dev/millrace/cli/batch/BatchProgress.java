package dev.millrace.cli.batch;

import dev.millrace.cli.batch.BatchPlan.Share;
import dev.millrace.cli.batch.BatchSummary.RunSpeed;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.read.TokenMeter;
import dev.millrace.cli.terminal.LiveLines;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.cli.terminal.RateEstimator;
import dev.millrace.cli.terminal.TimeLeft;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Shows the progress of a batch: a bar on a terminal, elsewhere a line now and then. Speed and
 * remaining time are those of this run.
 */
final class BatchProgress {
  private static final long PERIOD = Duration.ofSeconds(10).toNanos();

  /** How many lines of the file have ended, and how many of these failed. */
  record Counts(int ended, int failed) {
    static Counts of(Map<JobId, Share> shares, Map<JobId, JobView> jobs) {
      int ended = 0;
      int failed = 0;
      for (Map.Entry<JobId, Share> each : shares.entrySet()) {
        JobView job = jobs.get(each.getKey());
        Share share = each.getValue();
        if (job != null && !job.stages().isEmpty()) {
          StageView stage = job.stages().getFirst();
          ended += Math.max(0, share.lines() - unfinished(stage));
          failed += Math.max(0, count(stage, TaskState.FAILED) - share.failedOthers());
        }
      }
      return new Counts(ended, failed);
    }

    private static int unfinished(StageView stage) {
      return stage.total()
          - JobJson.completedTasks(stage)
          - count(stage, TaskState.FAILED)
          - count(stage, TaskState.ABORTED);
    }

    private static int count(StageView stage, TaskState state) {
      return stage.tasks().getOrDefault(state, 0);
    }
  }

  private final Shell shell;
  private final BatchFile file;
  private final long meanLimit;
  private final LongSupplier clock;
  private final LiveLines live;
  private final ProgressBar bar;
  private final Map<JobId, TokenMeter> meters = new HashMap<>();
  private final Set<JobId> ended = new HashSet<>();
  private final RateEstimator tasks = RateEstimator.ofTasks();
  private final RateEstimator tokens = RateEstimator.ofTokens();
  private long lastPrinted;
  private long lastMeasured;
  private long busy;

  BatchProgress(Shell shell, BatchFile file) {
    this(shell, file, System::nanoTime);
  }

  /**
   * @param clock nanoseconds that do not go backwards
   */
  BatchProgress(Shell shell, BatchFile file, LongSupplier clock) {
    this.shell = shell;
    this.file = file;
    this.meanLimit = file.meanLimit();
    this.clock = clock;
    this.live = new LiveLines(shell);
    this.bar = ProgressBar.of(shell);
    this.lastPrinted = clock.getAsLong();
    this.lastMeasured = lastPrinted;
  }

  /** Measures what the jobs that run have generated since the last time. */
  void measure(JobReader reader, Collection<JobView> jobs, Counts counts) {
    long now = clock.getAsLong();
    boolean active = false;
    for (JobView job : jobs) {
      JobId id = job.header().id();
      if (ended.contains(id)) {
        continue;
      }
      if (job.state().isFinal()) {
        ended.add(id); // the last time
      } else {
        meters.putIfAbsent(id, new TokenMeter(job, 1));
      }
      TokenMeter meter = meters.get(id);
      if (meter != null) {
        meter.poll(reader);
        active |= meter.isActive();
      }
    }
    busy += active ? now - lastMeasured : 0;
    lastMeasured = now;
    tasks.sample(now, counts.ended());
    tokens.sample(now, generated());
  }

  private long generated() {
    return meters.values().stream().mapToLong(TokenMeter::generated).sum();
  }

  /** The speed of this run so far. */
  RunSpeed speed() {
    return new RunSpeed(generated(), Duration.ofNanos(busy));
  }

  /**
   * Shows the counts, the speed and the remaining time.
   *
   * @param written the totals of the output so far
   * @param note more to show; may be empty
   */
  void show(Counts counts, BatchOutput.Totals written, String note) {
    int total = file.lines().size();
    String text = counts.ended() + "/" + total + text(counts, written);
    text += note.isEmpty() ? "" : "; " + note;
    long now = clock.getAsLong();
    if (live.isSupported()) {
      live.show(List.of(bar.bar(counts.ended(), total) + " " + text));
    } else if (now - lastPrinted >= PERIOD) {
      lastPrinted = now;
      shell.err().println(text);
      shell.err().flush();
    }
  }

  private String text(Counts counts, BatchOutput.Totals written) {
    int unfinished = file.lines().size() - counts.ended();
    double rate = tasks.perSecond();
    double speed = tokens.perSecond();
    TimeLeft left =
        file.endpoint() == BatchEndpoint.EMBEDDING
            ? TimeLeft.of(unfinished, tasks.steadyPerSecond(), false)
            : TimeLeft.of(work(unfinished, written), tokens.steadyPerSecond());
    return (counts.failed() > 0 ? ", " + counts.failed() + " failed" : "")
        + (rate > 0 ? ", " + ProgressBar.rate(rate, " requests") : "")
        + (speed > 0 ? ", " + ProgressBar.rate(speed, " tokens") : "")
        + TimeLeft.text(left);
  }

  /** The written answers are those of the first lines, of all runs; the meters know this run's. */
  private TimeLeft.Tokens work(int unfinished, BatchOutput.Totals written) {
    long finished = meters.values().stream().mapToLong(TokenMeter::finished).sum();
    long finishedTokens = meters.values().stream().mapToLong(TokenMeter::finishedTokens).sum();
    boolean more = written.done() > finished;
    return new TimeLeft.Tokens(
        unfinished,
        more ? written.done() : finished,
        more ? written.completionTokens() : finishedTokens,
        meters.values().stream().mapToLong(TokenMeter::runningTokens).sum(),
        meanLimit < 0 ? -1 : unfinished * meanLimit);
  }

  /** What stops a job that is not final; empty if nothing does. */
  static String pause(Collection<JobView> jobs) {
    boolean paused = jobs.stream().anyMatch(job -> Status.of(job.state()) == Status.PAUSED);
    return paused ? "paused" : "";
  }

  void print(String line) {
    live.printAbove(line);
  }

  /** Removes the bar from the terminal. */
  void clear() {
    live.clear();
  }
}
