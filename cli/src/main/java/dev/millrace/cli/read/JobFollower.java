package dev.millrace.cli.read;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.terminal.PollPacer;
import dev.millrace.core.Flow;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Follows a job until it has ended, for {@code flow -f}: the text of a single task as it is
 * generated, or the progress of several tasks. With JSON, a line for each event and piece of text.
 */
final class JobFollower {
  private static final int PAGE = 10_000; // the store reads the whole log anyway

  /** A job and the shell that follows it. */
  record FollowedJob(Shell shell, Place place, JobReader reader, JobId id, WaitLimit limit) {

    /** The workspace as the user named it. */
    String dir() {
      return place.name();
    }

    /** The command that approves a stage at its gate. */
    String approvalHint(StageView stage) {
      return "stage %d waits: %s"
          .formatted(
              stage.number(), SuggestedCommand.of("approve").on(dir()).with(id, stage.number()));
    }
  }

  /** Shows a running job. */
  interface View {
    void event(LogEntry entry);

    /** Several events at once. */
    default void events(List<LogEntry> entries) {
      entries.forEach(this::event);
    }

    /** Updates the view; called some tens of times a second. */
    void refresh(Status status);

    /** The job has ended and all its events were seen. */
    void end();
  }

  private final FollowedJob subject;
  private final JobReader reader;
  private final View view;
  private final PollPacer events = new PollPacer(Duration.ofMillis(30));
  private long seen;

  private JobFollower(FollowedJob subject, View view) {
    this.subject = subject;
    this.reader = subject.reader();
    this.view = view;
  }

  /** Follows with one JSON object per line. */
  static void followAsJson(FollowedJob subject) throws InterruptedException {
    new JobFollower(subject, new FollowJsonView(subject)).run();
  }

  /**
   * Follows with text.
   *
   * @return the view that must be given the result of a single task; null for several tasks
   */
  static @Nullable FollowTextView followAsText(FollowedJob subject) throws InterruptedException {
    JobView job = subject.reader().find(subject.id()).orElse(null);
    if (job == null || !JobJson.isSingleTask(job)) {
      new JobFollower(subject, new FollowStagesView(subject)).run();
      return null;
    }
    StageView only = job.stages().getFirst();
    if (JobJson.isAtGate(job, only)) {
      subject.shell().err().println(subject.approvalHint(only));
    }
    try (FollowTextView text = new FollowTextView(subject, only.type())) {
      new JobFollower(subject, text).run();
      return text;
    }
  }

  private void run() throws InterruptedException {
    Flow flow = new Flow(reader);
    while (true) {
      Status status = flow.status(subject.id());
      boolean ended = status.isFinal();
      if (ended) {
        log(Integer.MAX_VALUE);
      } else if (events.isDue()) {
        events.poll(() -> log(1));
      }
      if (ended) {
        view.end();
        return;
      }
      view.refresh(status);
      if (subject.shell().out().checkError()) {
        return; // the reader of our output has left
      }
      if (subject.limit().isReached()) {
        return;
      }
      reader.awaitChange(subject.id(), subject.limit().atMost(subject.place().pollInterval()));
    }
  }

  private void log(int pages) {
    for (int page = 0; page < pages; page++) {
      List<LogEntry> entries = reader.events(subject.id(), seen, PAGE);
      if (entries.isEmpty()) {
        return; // a short page need not be the last one
      }
      view.events(entries);
      seen = entries.getLast().number();
    }
  }
}
