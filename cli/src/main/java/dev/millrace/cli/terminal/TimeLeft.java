package dev.millrace.cli.terminal;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An estimate of the time until something is done.
 *
 * @param atMost whether it is an upper bound
 */
public record TimeLeft(Duration time, boolean atMost) {
  /** A longer time than this is not an estimate but a guess. */
  private static final Duration LONGEST = Duration.ofDays(10);

  /** How many tasks must have ended before their mean says something about the others. */
  private static final int FEW = 3;

  /** How many times the expected time an upper bound may be, and still be worth showing. */
  private static final double WILD = 3;

  /**
   * What is known about tasks that generate tokens.
   *
   * @param unfinished tasks, running or waiting
   * @param finished tasks whose tokens are known
   * @param finishedTokens of these together
   * @param runningTokens what the running tasks have generated so far
   * @param mostTokens the most that the unfinished tasks can have together; negative if unknown
   */
  public record Tokens(
      long unfinished, long finished, long finishedTokens, long runningTokens, long mostTokens) {

    private double expected() {
      double all = (double) unfinished * finishedTokens / finished - runningTokens;
      return mostTokens < 0 ? all : Math.min(all, most());
    }

    private double most() {
      return mostTokens - runningTokens;
    }
  }

  /** The time for that much work; null if it is not known, or too long to be an estimate. */
  public static @Nullable TimeLeft of(double work, double perSecond, boolean atMost) {
    double seconds = work / perSecond;
    return work > 0 && perSecond > 0 && seconds <= LONGEST.toSeconds()
        ? new TimeLeft(Duration.ofMillis((long) (1_000 * seconds)), atMost)
        : null;
  }

  /**
   * The time for tasks at a rate of tokens. From the mean of the finished tasks; before a few have
   * finished, from the most that the tasks can generate, unless that is far off.
   */
  public static @Nullable TimeLeft of(Tokens tokens, double perSecond) {
    if (tokens.finished() >= FEW) {
      return of(tokens.expected(), perSecond, false);
    }
    boolean wild = tokens.finished() > 0 && tokens.most() > WILD * tokens.expected();
    return tokens.mostTokens() < 0 || wild ? null : of(tokens.most(), perSecond, true);
  }

  /** {@code , 9 s left} or {@code , at most 9 s left}; empty if the time is not known. */
  public static String text(@Nullable TimeLeft left) {
    return left == null
        ? ""
        : ", " + (left.atMost ? "at most " : "") + ProgressBar.span(left.time) + " left";
  }
}
