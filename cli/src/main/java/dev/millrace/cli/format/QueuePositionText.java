package dev.millrace.cli.format;

import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.core.store.JobReader.QueuePosition;
import java.util.List;
import java.util.Optional;

/** Describes the queue position of a waiting job. */
public final class QueuePositionText {
  private QueuePositionText() {}

  /**
   * @param type of the tasks that wait
   * @param dir the workspace as the user named it
   */
  public static String of(
      Optional<QueuePosition> position, PlaceOwner owner, String type, String dir) {
    String line = position.map(QueuePositionText::line).orElse("");
    if (!owner.held()) {
      return "waits" + (line.isEmpty() ? "" : " as " + line) + "; no server works on " + dir;
    }
    if (owner.info().get("types") instanceof List<?> types && !types.contains(type)) {
      return "waits; the server of " + dir + " has no worker for \"" + type + "\"";
    }
    String waitReason = PipeWaitText.reasonIfAllWait(owner, type);
    if (waitReason != null) {
      return (line.isEmpty() ? "waits" : line) + "; " + waitReason;
    }
    return (line.isEmpty() ? "waits" : line)
        + position
            .map(QueuePosition::eta)
            .map(eta -> ", starts in about " + ProgressBar.span(eta))
            .orElse("");
  }

  private static String line(QueuePosition position) {
    return ordinal(position.ahead() + 1)
        + " of "
        + Math.max(position.waiting(), position.ahead() + 1);
  }

  public static String ordinal(int number) {
    boolean teen = number / 10 % 10 == 1;
    return number
        + switch (teen ? 0 : number % 10) {
          case 1 -> "st";
          case 2 -> "nd";
          case 3 -> "rd";
          default -> "th";
        };
  }
}
