package dev.millrace.cli.read;

import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.ApprovalText;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.format.ShownStatus;
import dev.millrace.cli.place.Place;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints the status of a workspace: the number of jobs by state, and the last few jobs. */
final class QueueSummary {
  private static final int RECENT = 5;

  private final Shell shell;
  private final Place place;
  private final JobReader reader;
  private final boolean json;

  QueueSummary(Shell shell, Place place, boolean json) {
    this.shell = shell;
    this.place = place;
    this.reader = place.reader();
    this.json = json;
  }

  /** Prints the counts. */
  int print() {
    Counts counts = Counts.of(reader.counts(), ApprovalText.waiting(reader).size());
    if (counts.running() > 0 && !place.owner().held()) {
      counts = counts.withoutServer();
    }
    if (json) {
      shell.out().println(counts.json());
      return ExitCode.OK;
    }
    line("queued:", counts.queued());
    line("running:", counts.running());
    line("done:", counts.done());
    line("failed:", counts.failed());
    if (counts.paused() > 0) {
      line("paused:", counts.paused());
    }
    if (counts.cancelled() > 0) {
      line("cancelled:", counts.cancelled());
    }
    if (counts.waiting() > 0) {
      line("waiting:", counts.waiting() + " for approval (counted above, too)");
    }
    String server = new ServerStatusLine(place).text();
    if (!server.isEmpty()) {
      shell.out().println("server:     " + server);
    }
    List<JobId> recent = reader.list(JobReader.Query.all().newest(RECENT));
    if (recent.isEmpty()) {
      shell
          .out()
          .println(
              "\nno jobs yet: submit one with  "
                  + SuggestedCommand.of("work").on(place.name()).with(SuggestedCommand.PROMPT));
    } else {
      shell.out().println("\nrecent:");
      for (JobId id : recent.reversed()) {
        recent(id);
      }
      new WaitNotices(shell, place).aboutAll(counts.active());
    }
    return ExitCode.OK;
  }

  private void line(String name, Object count) {
    shell.out().println(name + " ".repeat(12 - name.length()) + count);
  }

  /** Shows a job, unless it was deleted meanwhile. */
  private void recent(JobId id) {
    try {
      reader.find(id).ifPresent(this::recent);
    } catch (JobException e) {
      shell.out().println("  [unreadable]  " + id);
    }
  }

  private void recent(JobView view) {
    String status = JobJson.word(ShownStatus.of(place, view.state()));
    String duration =
        view.completedAt() == null || view.startedAt() == null
            ? " ".repeat(6)
            : String.format(
                Locale.ROOT,
                "%5.1fs",
                Duration.between(view.startedAt(), view.completedAt()).toMillis() / 1_000.0);
    shell.out().println("  [" + status + "] " + duration + "  " + view.header().id());
  }

  /** Waits until nothing is queued or running. */
  int awaitIdle(WaitLimit limit) throws InterruptedException {
    WaitNotices notices = new WaitNotices(shell, place);
    Counts counts = Counts.of(reader.counts(), 0);
    while (counts.active() > 0) {
      if (limit.isReached()) {
        shell
            .err()
            .println(
                "gave up waiting: "
                    + counts.queued()
                    + " queued, "
                    + counts.running()
                    + " running");
        return ExitCode.NOT_READY;
      }
      notices.aboutAll(counts.active());
      JobWaiter.awaitNewest(
          reader, JobReader.Query.in(EnumSet.of(JobState.PENDING, JobState.IN_PROGRESS)), limit);
      counts = Counts.of(reader.counts(), 0);
    }
    shell
        .out()
        .println(
            json
                ? counts.json()
                : "idle (" + counts.done() + " done, " + counts.failed() + " failed)");
    return counts.failed() > 0 ? ExitCode.FAILED : ExitCode.OK;
  }

  /**
   * The number of jobs by state.
   *
   * @param waiting those of the queued and running ones that wait for an approval
   */
  record Counts(
      int queued, int running, int done, int failed, int paused, int cancelled, int waiting) {
    static Counts of(Map<JobState, Integer> counts, int waiting) {
      return new Counts(
          counts.getOrDefault(JobState.PENDING, 0),
          counts.getOrDefault(JobState.IN_PROGRESS, 0),
          counts.getOrDefault(JobState.COMPLETED, 0),
          counts.getOrDefault(JobState.FAILED, 0),
          counts.getOrDefault(JobState.PAUSED, 0),
          counts.getOrDefault(JobState.ABORTED, 0),
          waiting);
    }

    /** Nothing runs then. */
    Counts withoutServer() {
      return new Counts(queued + running, 0, done, failed, paused, cancelled, waiting);
    }

    int active() {
      return queued + running;
    }

    /** The four counts of nrvna; the others only if there are such jobs. */
    String json() {
      JsonObject out =
          JsonObject.create()
              .put("queued", queued)
              .put("running", running)
              .put("done", done)
              .put("failed", failed)
              .putIfPresent("paused", paused == 0 ? null : paused)
              .putIfPresent("cancelled", cancelled == 0 ? null : cancelled)
              .putIfPresent("waiting", waiting == 0 ? null : waiting);
      return Json.write(out);
    }
  }
}
