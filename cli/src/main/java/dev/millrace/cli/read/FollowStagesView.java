package dev.millrace.cli.read;

import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.format.LogEntryText;
import dev.millrace.cli.terminal.DurationText;
import dev.millrace.cli.terminal.LiveLines;
import dev.millrace.cli.terminal.PollPacer;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.event.LogEntry;
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

/**
 * Follows a job of several tasks: a bar for each stage, and the command that lets a gate or pause
 * pass.
 */
final class FollowStagesView implements JobFollower.View {
  private final JobFollower.FollowedJob subject;
  private final LiveLines live;
  private final ProgressBar bar;
  private final PollPacer progressPolls = new PollPacer(Duration.ofMillis(200));
  private final PollPacer owners = new PollPacer(Duration.ofSeconds(1));
  private boolean served = true;
  private final Map<Integer, StageSpeed> speeds = new HashMap<>();
  // Commands are printed once, on permanent lines: live lines are cut to the terminal's width.
  private final Set<Integer> gatesSaid = new HashSet<>();
  private boolean pauseSaid;

  FollowStagesView(JobFollower.FollowedJob subject) {
    this.subject = subject;
    this.live = new LiveLines(subject.shell());
    this.bar = ProgressBar.of(subject.shell());
  }

  @Override
  public void event(LogEntry entry) {
    if (!live.isSupported() && !EventFilter.repeatsTaskFailure(entry)) {
      subject.shell().err().println(LogEntryText.of(entry));
    } else if (EventFilter.isNotable(entry)) {
      live.printAbove(LogEntryText.of(entry));
    }
  }

  @Override
  public void refresh(Status status) {
    if (progressPolls.isDue()) {
      progressPolls.poll(() -> subject.reader().find(subject.id()).ifPresent(this::show));
    }
  }

  @Override
  public void end() {
    if (live.isSupported()) {
      subject.reader().find(subject.id()).ifPresent(this::show);
      live.keep();
    }
  }

  private void show(JobView job) {
    List<String> lines = new ArrayList<>();
    for (StageView stage : job.stages()) {
      lines.add(line(job, stage));
      if (JobJson.isAtGate(job, stage) && gatesSaid.add(stage.number())) {
        live.printAbove(subject.approvalHint(stage));
      }
    }
    boolean paused = Status.of(job.state()) == Status.PAUSED;
    if (paused && !pauseSaid) {
      live.printAbove(
          "paused; resume with: "
              + SuggestedCommand.of("resume").on(subject.dir()).with(subject.id()));
    }
    pauseSaid = paused;
    if (paused) {
      lines.add("paused");
    } else if (!job.state().isFinal() && !served()) {
      lines.add("no server works on " + subject.dir());
    }
    live.show(lines);
  }

  /** Asked only now and then: the question takes the lock for a moment. */
  private boolean served() {
    if (owners.isDue()) {
      owners.poll(() -> served = subject.place().owner().held());
    }
    return served;
  }

  private String line(JobView job, StageView stage) {
    int failed = stage.tasks().getOrDefault(TaskState.FAILED, 0);
    int ended = JobJson.completedTasks(stage) + failed;
    String number = job.stages().size() > 1 ? stage.number() + " " : "";
    return number
        + SanitizedText.line(stage.type(), 40)
        + " "
        + bar(stage, ended)
        + counts(stage, failed)
        + rest(job, stage, ended);
  }

  /** A stage that has not opened has done nothing, even if its tasks were aborted. */
  private String bar(StageView stage, int ended) {
    return stage.state() == StageState.COMPLETED && stage.total() == 0
        ? bar.bar(1, 1)
        : bar.bar(ended, stage.total());
  }

  private static String counts(StageView stage, int failed) {
    boolean unknown = stage.total() == 0 && !stage.state().isFinal(); // made when it opens
    return unknown
        ? ""
        : "  "
            + JobJson.completedTasks(stage)
            + "/"
            + stage.total()
            + (failed > 0 ? ", " + failed + " failed" : "");
  }

  private String rest(JobView job, StageView stage, int ended) {
    if (stage.state().isFinal()) {
      return stage.startedAt() == null || stage.completedAt() == null
          ? ""
          : ", " + DurationText.of(Duration.between(stage.startedAt(), stage.completedAt()));
    }
    if (stage.state() != StageState.IN_PROGRESS) {
      return "";
    }
    StageSpeed speed =
        speeds.computeIfAbsent(
            stage.number(), n -> new StageSpeed(subject.place().metersDrafts(), job, n));
    speed.sample(subject.reader(), stage, System.nanoTime());
    return speed.text(stage.total() - ended, stage.spec().data());
  }
}
