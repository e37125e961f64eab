package dev.millrace.cli.read;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.LogEntryText;
import dev.millrace.cli.terminal.LiveLines;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.event.LogEntry;
import java.util.List;

/**
 * Follows a single task: prints its text as it is generated. The output ends with the result, byte
 * for byte; text before it that is not part of the result, such as thoughts, is marked as
 * discarded. While there is no text, a terminal shows the job's status; elsewhere the log goes to
 * standard error.
 */
final class FollowTextView implements JobFollower.View, AutoCloseable {
  private final JobFollower.FollowedJob subject;
  private final Shell shell;
  private final LiveLines live;
  private final StreamedText transcript = new StreamedText(new Printer());
  private final FollowStatusLine statusLine;
  private boolean midLine; // the cursor is not at the beginning of a line
  private boolean quiet; // text arrives, so no status is shown

  FollowTextView(JobFollower.FollowedJob subject, String type) {
    this.subject = subject;
    this.shell = subject.shell();
    this.live = new LiveLines(shell);
    this.statusLine = new FollowStatusLine(subject, type, live.isSupported());
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
    transcript.add(subject.reader().outputSoFar(subject.id(), 1, 1, transcript.next()));
    shell.out().flush();
    String line = statusLine.line(status, transcript.isEmpty());
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

  /** Prints the rest of the result, and a newline if it has none. */
  void result(String text) {
    transcript.end(text);
    if (!text.isEmpty() && !text.endsWith("\n")) {
      shell.out().println();
    }
    midLine = false;
  }

  /** Stops asking for the status. */
  @Override
  public void close() {
    statusLine.close();
    live.clear();
  }

  /** Ends the line after a job without a result. */
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
      shell.err().println("-- discard the text above; the answer restarts --");
      shell.err().flush();
    }
  }
}
