package dev.millrace.server.exec;

import java.time.Duration;

/**
 * The limits of one run of a program: its output, its log lines, and its time to stop.
 *
 * @param grace how long it has to end by itself after TERM before it gets KILL
 * @param maxOutput most bytes of a result; a program that prints more is killed and has failed
 * @param maxLogLines most lines of stderr that an attempt adds to its job's log
 * @param maxLogBytes most bytes of stderr that an attempt adds to its job's log
 * @param maxLineBytes most bytes of one such line; the rest of it is cut off
 */
public record ExecLimits(
    Duration grace, int maxOutput, int maxLogLines, int maxLogBytes, int maxLineBytes) {

  public static final ExecLimits DEFAULT =
      new ExecLimits(Duration.ofSeconds(2), 16 << 20, 10_000, 1 << 20, 8 << 10);

  public ExecLimits {
    if (grace.isNegative()) {
      throw new IllegalArgumentException("grace must not be negative, got " + grace);
    }
    if (maxOutput < 1 || maxLogLines < 1 || maxLogBytes < 1 || maxLineBytes < 1) {
      throw new IllegalArgumentException(
          "limits must be at least 1, got "
              + maxOutput
              + ", "
              + maxLogLines
              + ", "
              + maxLogBytes
              + " and "
              + maxLineBytes);
    }
  }

  public ExecLimits withGrace(Duration newGrace) {
    return new ExecLimits(newGrace, maxOutput, maxLogLines, maxLogBytes, maxLineBytes);
  }
}
