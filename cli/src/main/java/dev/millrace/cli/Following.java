package dev.millrace.cli;

import dev.millrace.core.Flow;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.Reading;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code flow -f} does until the job has ended: of a single task, its text as it is generated;
 * of several, how far they are. With JSON, a line for each event and for each piece of text.
 */
final class Following {
  private static final int PAGE = 10_000; // a log is read whole, whatever is wanted of it

  /** What is followed, by whom. */
  record Subject(Shell shell, Place place, Reading reading, JobId id) {

    /** The place as the user named it. */
    String dir() {
      return place.name();
    }

    /** What a stage needs that waits at its gate. */
    String gate(StageView stage) {
      return "stage %d waits: %s approve %s %s %d"
          .formatted(stage.number(), Called.MILLRACE, dir(), id, stage.number());
    }
  }

  /** One way to show a job that goes on. */
  interface View {
    void event(Entry entry);

    /** Some events at once. */
    default void events(List<Entry> entries) {
      entries.forEach(this::event);
    }

    /** Looks again; called some tens of times a second. */
    void look(Status status);

    /** The job has ended and all its events were seen. */
    void end();
  }

  private final Subject subject;
  private final Reading reading;
  private final View view;
  private final Pacing events = new Pacing(Duration.ofMillis(30));
  private long seen;

  private Following(Subject subject, View view) {
    this.subject = subject;
    this.reading = subject.reading();
    this.view = view;
  }

  /** Follows with an object a line on standard output. */
  static void json(Subject subject) throws InterruptedException {
    new Following(subject, new FollowedPieces(subject)).run();
  }

  /**
   * Follows with text for people.
   *
   * @return to be given the result of a single task; null for a job of several
   */
  static @Nullable FollowedText text(Subject subject) throws InterruptedException {
    JobView job = subject.reading().find(subject.id()).orElse(null);
    if (job == null || !JobObject.single(job)) {
      new Following(subject, new FollowedStages(subject)).run();
      return null;
    }
    StageView only = job.stages().getFirst();
    if (!subject.place().drafts() && !job.state().isFinal()) {
      subject.shell().err().println("over HTTP: the job's log, and the text when it is complete");
    }
    if (JobObject.atGate(job, only)) {
      subject.shell().err().println(subject.gate(only));
    }
    try (FollowedText text = new FollowedText(subject, only.type())) {
      new Following(subject, text).run();
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
      } else if (events.due()) {
        events.look(() -> log(1));
      }
      if (ended) {
        view.end();
        return;
      }
      view.look(status);
      if (subject.shell().out().checkError()) {
        return; // nobody listens
      }
      reading.awaitChange(subject.id(), subject.place().round());
    }
  }

  private void log(int pages) {
    for (int page = 0; page < pages; page++) {
      List<Entry> entries = reading.events(subject.id(), seen, PAGE);
      if (entries.isEmpty()) {
        return; // a page may be shorter than was asked for, and not the last
      }
      view.events(entries);
      seen = entries.getLast().number();
    }
  }
}
