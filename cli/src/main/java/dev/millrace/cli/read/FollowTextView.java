package dev.millrace.cli.read;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.LogEntryText;
import dev.millrace.cli.terminal.LiveLines;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.event.LogEntry;
import java.util.List;

/**
 * A single task's text as it is generated, on standard output: in the end the result, byte for
 * byte, after whatever was shown and counts no more, such as thoughts. While there is none, a
 * terminal is told how things stand; what is not a terminal gets the log on standard error.
 */
final class FollowTextView implements JobFollower.View, AutoCloseable {
  private final JobFollower.FollowedJob subject;
  private final Shell shell;
  private final LiveLines live;
  private final StreamedText transcript = new StreamedText(new Printer());
  private final JobStatusLine standing;
  private boolean midLine; // the cursor is not where a line begins
  private boolean quiet; // text comes, so nothing need be said

  FollowTextView(JobFollower.FollowedJob subject, String type) {
    this.subject = subject;
    this.shell = subject.shell();
    this.live = new LiveLines(shell);
    this.standing = new JobStatusLine(subject, type, live.isSupported());
  }

  @Override
  public void event(LogEntry entry) {
    if (!live.isSupported() && !EventFilter.repeatsTaskFailure(entry)) {
      shell.err().println(LogEntryText.of(entry));
    } else if (EventFilter.isStep(entry)) {
      freshLine();
      live.printAbove(LogEntryText.of(entry));
    }
  }

  @Override
  public void refresh(Status status) {
    quiet = false;
    transcript.add(subject.reading().outputSoFar(subject.id(), 1, 1, transcript.next()));
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
    if (midLine && live.isSupported() && shell.terminal().isTerminal(Shell.Terminal.OUT)) {
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

  private final class Printer implements StreamedText.Display {
    @Override
    public void text(String more) {
      live.clear();
      quiet = true;
      shell.out().print(more);
      shell.out().flush();
      midLine = !more.endsWith("\n");
    }

    @Override
    public void restart() {
      live.clear();
      abandon();
      shell.err().println("-- the text above counts no more; it follows from its beginning --");
      shell.err().flush();
    }
  }
}
