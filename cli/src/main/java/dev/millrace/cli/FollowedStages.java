package dev.millrace.cli;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A job of several tasks: a bar for each stage, and what a user must do for it to go on. */
final class FollowedStages implements Following.View {
  private final Following.Subject subject;
  private final LiveLines live;
  private final ProgressBar bar;
  private final Pacing looks = new Pacing(Duration.ofMillis(200));
  private final Pacing owners = new Pacing(Duration.ofSeconds(1));
  private boolean served = true;
  private final Map<Integer, Speed> speeds = new HashMap<>();
  // Commands are said once, on lines that stay: those that are rewritten are cut to fit.
  private final Set<Integer> gatesSaid = new HashSet<>();
  private boolean pauseSaid;

  FollowedStages(Following.Subject subject) {
    this.subject = subject;
    this.live = new LiveLines(subject.shell());
    this.bar = ProgressBar.of(subject.shell());
  }

  @Override
  public void event(Entry entry) {
    if (!live.possible() && !Notable.repeats(entry)) {
      subject.shell().err().println(EventText.of(entry));
    } else if (Notable.of(entry)) {
      live.say(EventText.of(entry));
    }
  }

  @Override
  public void look(Status status) {
    if (looks.due()) {
      looks.look(() -> subject.reading().find(subject.id()).ifPresent(this::show));
    }
  }

  @Override
  public void end() {
    if (live.possible()) {
      subject.reading().find(subject.id()).ifPresent(this::show);
      live.leave();
    }
  }

  private void show(JobView job) {
    List<String> lines = new ArrayList<>();
    for (StageView stage : job.stages()) {
      lines.add(line(stage, job.stages().size()));
      if (JobObject.atGate(job, stage) && gatesSaid.add(stage.number())) {
        live.say(subject.gate(stage));
      }
    }
    boolean paused = Status.of(job.state()) == Status.PAUSED;
    if (paused && !pauseSaid) {
      live.say(
          "paused; let it go on with: "
              + Called.MILLRACE
              + " resume "
              + subject.dir()
              + " "
              + subject.id());
    }
    pauseSaid = paused;
    if (paused) {
      lines.add("paused");
    } else if (!job.state().isFinal() && !served()) {
      lines.add("no server works on " + subject.dir());
    }
    live.show(lines);
  }

  /** Asked now and then only: who asks holds the lock for a moment. */
  private boolean served() {
    if (owners.due()) {
      owners.look(() -> served = subject.place().owner().held());
    }
    return served;
  }

  private String line(StageView stage, int stages) {
    int done = JobObject.done(stage);
    int failed = stage.tasks().getOrDefault(TaskState.FAILED, 0);
    int ended = done + failed + stage.tasks().getOrDefault(TaskState.ABORTED, 0);
    String name = (stages > 1 ? stage.number() + " " : "") + stage.type();
    String counts =
        "  " + done + "/" + stage.total() + (failed > 0 ? ", " + failed + " failed" : "");
    return name + " " + bar.bar(ended, stage.total()) + counts + rest(stage, ended);
  }

  private String rest(StageView stage, int ended) {
    if (stage.state().isFinal()) {
      return stage.startedAt() == null || stage.completedAt() == null
          ? ""
          : ", " + Ages.of(Duration.between(stage.startedAt(), stage.completedAt()));
    }
    if (stage.state() != StageState.IN_PROGRESS) {
      return "";
    }
    Speed speed = speeds.computeIfAbsent(stage.number(), _ -> new Speed());
    speed.sample(System.nanoTime(), ended);
    double rate = speed.perSecond();
    return (rate > 0 ? ", " + ProgressBar.rate(rate, "") : "")
        + ProgressBar.left(speed.until(stage.total() - ended));
  }
}
