package dev.millrace.cli;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.rules.Entry;
import java.util.List;

/**
 * A single task's text as it is generated, on standard output: in the end the result, byte for
 * byte, after whatever was shown and counts no more, such as thoughts. While there is none, a
 * terminal is told how things stand; what is not a terminal gets the log on standard error.
 */
final class FollowedText implements Following.View, AutoCloseable {
  private final Following.Subject subject;
  private final Shell shell;
  private final LiveLines live;
  private final Transcript transcript = new Transcript(new Printer());
  private final StandingLine standing;
  private boolean midLine; // the cursor is not where a line begins
  private boolean quiet; // text comes, so nothing need be said

  FollowedText(Following.Subject subject, String type) {
    this.subject = subject;
    this.shell = subject.shell();
    this.live = new LiveLines(shell);
    this.standing = new StandingLine(subject, type, live.possible());
  }

  @Override
  public void event(Entry entry) {
    if (!live.possible() && !Notable.repeats(entry)) {
      shell.err().println(EventText.of(entry));
    } else if (Notable.step(entry)) {
      freshLine();
      live.say(EventText.of(entry));
    }
  }

  @Override
  public void look(Status status) {
    quiet = false;
    transcript.add(subject.reading().draft(subject.id(), 1, 1, transcript.next()));
    shell.out().flush();
    String line = standing.line(status, transcript.isEmpty());
    if (!quiet && line != null) {
      freshLine();
      live.show(List.of(line));
    } else if (!quiet && status == Status.RUNNING) {
      live.clear();
    }
  }

  private void freshLine() {
    if (midLine && live.possible() && shell.terminal().is(Shell.Terminal.OUT)) {
      shell.out().flush();
      shell.err().println();
      midLine = false;
    }
  }

  @Override
  public void end() {
    live.clear();
  }

  /** The job is done: shows what is missing of its result, and a newline where it has none. */
  void result(String text) {
    transcript.end(text);
    if (!text.isEmpty() && !text.endsWith("\n")) {
      shell.out().println();
    }
    midLine = false;
  }

  /** Ends the waiting. */
  @Override
  public void close() {
    standing.close();
    live.clear();
  }

  /** After a job that brought no result: the next thing printed begins a line. */
  void abandon() {
    if (midLine) {
      shell.out().println();
      shell.out().flush();
      midLine = false;
    }
  }

  private final class Printer implements Transcript.Reader {
    @Override
    public void text(String more) {
      live.clear();
      quiet = true;
      shell.out().print(more);
      shell.out().flush();
      midLine = !more.endsWith("\n");
    }

    @Override
    public void anew() {
      live.clear();
      abandon();
      shell.err().println("-- the text above counts no more; it follows from its beginning --");
      shell.err().flush();
    }
  }
}
