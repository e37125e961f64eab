package dev.millrace.cli.demo;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.serve.LocalServer;
import dev.millrace.cli.serve.LocalWorkers;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Runs the demo's job from submission to end, with a server that lives as long. */
final class DemoRun {
  private static final Duration FRAME = Duration.ofMillis(100);

  /**
   * The outputs of the demo.
   *
   * @param page null: none
   */
  record Presentation(
      Shell shell,
      DemoNarration narration,
      DemoScreen screen,
      DemoGatePause gatePause,
      @Nullable DemoPage page) {}

  private final OwnablePlace place;
  private final LocalWorkers workers;
  private final int context;
  private final Presentation stage;
  private final DemoStopRequest stop;

  /**
   * @param context positions of a sequence
   */
  DemoRun(
      OwnablePlace place,
      LocalWorkers workers,
      int context,
      Presentation stage,
      DemoStopRequest stop) {
    this.place = place;
    this.workers = workers;
    this.context = context;
    this.stage = stage;
    this.stop = stop;
  }

  /**
   * Submits, processes and approves the job, shows and returns the results. However it ends,
   * nothing runs afterwards and an unfinished job can be resumed later.
   *
   * @throws DemoStopRequest.Stopped if the user stopped it
   * @throws CommandException if the job did not complete
   */
  DemoReport run() throws DemoStopRequest.Stopped, IOException, InterruptedException {
    JobStore store = place.own().orElseThrow(this::owned);
    try (LocalServer server = LocalServer.start(place, store, () -> workers)) {
      DemoPage page = stage.page();
      if (page != null) {
        page.open(server);
      }
      JobId id = store.submit(DemoJob.of(context));
      stage.narration().submitted(id);
      DemoReport report = work(store, server, id);
      stage.narration().results(report);
      if (page != null) {
        page.keep(server);
      }
      return report;
    }
  }

  private CommandException owned() {
    return new CommandException(
        "another process works in " + place.location() + "; start the demo again");
  }

  private DemoReport work(JobStore store, LocalServer server, JobId id)
      throws DemoStopRequest.Stopped, IOException, InterruptedException {
    try {
      watch(store, server, id, DemoJob.STORIES);
      stage.narration().gate(id, DemoDirectory.of(place, id));
      boolean key = stage.gatePause().await(stage.shell(), stop::sleepUnlessStopped);
      approve(store, id);
      stage.narration().approved(key);
      JobView end = watch(store, server, id, DemoJob.CHARACTERS);
      return DemoReport.of(store, end, place.location());
    } finally {
      stage.screen().end();
    }
  }

  /** An approval by somebody else is fine too. */
  private static void approve(JobStore store, JobId id) {
    Outcome answer =
        store.approve(id, DemoJob.CHARACTERS, Cause.user("demo", "the demo's own approval"));
    if (answer instanceof Outcome.Refused(_, String message) && waits(store, id)) {
      throw new CommandException("the gate did not open: " + message);
    }
  }

  private static boolean waits(JobStore store, JobId id) {
    return job(store, id).stages().get(DemoJob.CHARACTERS - 1).state() == StageState.WAITING;
  }

  /** Shows a stage until it has completed. */
  private JobView watch(JobStore store, LocalServer server, JobId id, int number)
      throws DemoStopRequest.Stopped, InterruptedException {
    int limit = number == DemoJob.STORIES ? DemoJob.limit(context) : DemoJob.NAMES_TOKENS;
    DemoStageWatcher watch = new DemoStageWatcher(store, id, number, limit, InstantSource.system());
    double fastest = 0;
    while (true) {
      JobView job = job(store, id);
      DemoProgress frame = watch.observe(job);
      fastest = Math.max(fastest, frame.rate());
      stage.screen().show(frame);
      check(job);
      server.requireRunning();
      if (frame.state() == StageState.COMPLETED && ended(job, number)) {
        stage.screen().end();
        stage.narration().completed(job.stages().get(number - 1), frame.tokens(), fastest);
        return job;
      }
      stop.sleepUnlessStopped(FRAME);
    }
  }

  /**
   * Whether the stage has ended, and what follows from it: the job's end, or the next stage's wait.
   */
  private static boolean ended(JobView job, int number) {
    return number == job.stages().size()
        ? job.state() == JobState.COMPLETED
        : job.stages().get(number).state() != StageState.CREATED;
  }

  private void check(JobView job) {
    String id = job.header().id().value();
    if (job.state() == JobState.FAILED || job.state() == JobState.ABORTED) {
      throw new CommandException(
          "the demo's job "
              + (job.state() == JobState.FAILED ? "failed: " + job.error() : "was aborted")
              + "; see "
              + SuggestedCommand.of("job").on(place.location()).with(id).quoted());
    }
  }

  private static JobView job(JobStore store, JobId id) {
    return store
        .find(id)
        .orElseThrow(
            () -> new CommandException("job " + id.value() + " was removed from its workspace"));
  }
}
