package dev.millrace.cli.read;

import dev.millrace.cli.command.LauncherName;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.terminal.PollPacer;
import dev.millrace.cli.workspace.WorkspaceAccess;
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
 * What {@code flow -f} does until the job has ended: of a single task, its text as it is generated;
 * of several, how far they are. With JSON, a line for each event and for each piece of text.
 */
final class JobFollower {
  private static final int PAGE = 10_000; // a log is read whole, whatever is wanted of it

  /** What is followed, by whom. */
  record FollowedJob(Shell shell, WorkspaceAccess access, JobReader reading, JobId id) {

    /** The place as the user named it. */
    String dir() {
      return access.name();
    }

    /** What a stage needs that waits at its gate. */
    String approvalHint(StageView stage) {
      return "stage %d waits: %s approve %s %s %d"
          .formatted(stage.number(), LauncherName.MILLRACE, dir(), id, stage.number());
    }
  }

  /** One way to show a job that goes on. */
  interface View {
    void event(LogEntry entry);

    /** Some events at once. */
    default void events(List<LogEntry> entries) {
      entries.forEach(this::event);
    }

    /** Looks again; called some tens of times a second. */
    void refresh(Status status);

    /** The job has ended and all its events were seen. */
    void end();
  }

  private final FollowedJob subject;
  private final JobReader reading;
  private final View view;
  private final PollPacer events = new PollPacer(Duration.ofMillis(30));
  private long seen;

  private JobFollower(FollowedJob subject, View view) {
    this.subject = subject;
    this.reading = subject.reading();
    this.view = view;
  }

  /** Follows with an object a line on standard output. */
  static void followAsJson(FollowedJob subject) throws InterruptedException {
    new JobFollower(subject, new FollowJsonView(subject)).run();
  }

  /**
   * Follows with text for people.
   *
   * @return to be given the result of a single task; null for a job of several
   */
  static @Nullable FollowTextView followAsText(FollowedJob subject) throws InterruptedException {
    JobView job = subject.reading().find(subject.id()).orElse(null);
    if (job == null || !JobJson.isSingleTask(job)) {
      new JobFollower(subject, new FollowStagesView(subject)).run();
      return null;
    }
    StageView only = job.stages().getFirst();
    if (!subject.access().showsDrafts() && !job.state().isFinal()) {
      subject.shell().err().println("over HTTP: the job's log, and the text when it is complete");
    }
    if (JobJson.isAtGate(job, only)) {
      subject.shell().err().println(subject.approvalHint(only));
    }
    try (FollowTextView text = new FollowTextView(subject, only.type())) {
      new JobFollower(subject, text).run();
      return text;
    }
  }

  private void run() throws InterruptedException {
    Flow flow = new Flow(reading);
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
        return; // nobody listens
      }
      reading.awaitChange(subject.id(), subject.access().pollInterval());
    }
  }

  private void log(int pages) {
    for (int page = 0; page < pages; page++) {
      List<LogEntry> entries = reading.events(subject.id(), seen, PAGE);
      if (entries.isEmpty()) {
        return; // a page may be shorter than was asked for, and not the last
      }
      view.events(entries);
      seen = entries.getLast().number();
    }
  }
}
