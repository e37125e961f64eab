package dev.millrace.cli.read;

import dev.millrace.cli.format.PipeWaitText;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** One line about the server of a workspace: pid, running tasks, and their present speed. */
final class ServerStatusLine {
  /** Limits the number of jobs that are read, so that the answer is fast. */
  private static final int MOST = 50;

  /** How long the speed is measured; only if tasks are running. */
  private static final Duration MOMENT = Duration.ofMillis(400);

  private final Place place;
  private final JobReader reader;
  private final LongSupplier clock;
  private final Runnable moment;

  ServerStatusLine(Place place) {
    this(place, System::nanoTime, ServerStatusLine::waitAMoment);
  }

  /** For tests, with a clock of their own. */
  ServerStatusLine(Place place, LongSupplier clock, Runnable moment) {
    this.place = place;
    this.reader = place.reader();
    this.clock = clock;
    this.moment = moment;
  }

  /** Empty if there is no server. */
  String text() {
    PlaceOwner owner = place.owner();
    if (!owner.held() || !owner.ready()) {
      return "";
    }
    List<RunningStage> running = running();
    double speed = tokensPerSecond(running);
    StringBuilder out = new StringBuilder();
    owner.pid().ifPresent(pid -> out.append("pid ").append(pid).append(", "));
    int tasks = running.stream().mapToInt(RunningStage::tasks).sum();
    out.append(NumberText.of(tasks, "task")).append(" running");
    if (speed > 0) {
      out.append(", ").append(ProgressBar.rate(speed, " tokens"));
    }
    PipeWaitText.sentences(owner.info()).forEach(each -> out.append("; ").append(each));
    return out.toString();
  }

  /** A stage with running tasks. */
  private record RunningStage(JobView job, StageView stage) {
    int tasks() {
      return stage.tasks().getOrDefault(TaskState.IN_PROGRESS, 0);
    }
  }

  private List<RunningStage> running() {
    List<RunningStage> running = new ArrayList<>();
    for (JobId id :
        reader.list(JobReader.Query.in(EnumSet.of(JobState.IN_PROGRESS)).newest(MOST))) {
      JobView job = reader.find(id).orElse(null);
      for (StageView stage : job == null ? List.<StageView>of() : job.stages()) {
        running.add(new RunningStage(job, stage));
      }
    }
    running.removeIf(each -> each.tasks() == 0);
    return running;
  }

  /** The present speed: what the running tasks journal within a moment. */
  private double tokensPerSecond(List<RunningStage> running) {
    if (running.isEmpty() || !place.metersDrafts()) {
      return 0;
    }
    List<TokenMeter> meters = new ArrayList<>();
    running.forEach(each -> meters.add(new TokenMeter(each.job(), each.stage().number())));
    meters.forEach(meter -> meter.poll(reader));
    long start = clock.getAsLong();
    long before = meters.stream().mapToLong(TokenMeter::generated).sum();
    moment.run();
    meters.forEach(meter -> meter.poll(reader));
    long tokens = meters.stream().mapToLong(TokenMeter::generated).sum() - before;
    return tokens / ((clock.getAsLong() - start) / 1e9);
  }

  private static void waitAMoment() {
    LockSupport.parkNanos(MOMENT.toNanos());
  }
}
