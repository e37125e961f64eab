package dev.millrace.cli.terminal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Measures how fast a count grows now, from samples of it. What the first sample has was done
 * before and says nothing about the speed. There is no rate before enough was measured, nor while
 * the count has stood still for long. Times are nanoseconds and do not go backwards.
 */
public final class RateEstimator {
  private static final double SECOND = 1e9;

  /** How long a rate is measured before it is used to look ahead. */
  private static final long LOOK_AHEAD = Duration.ofSeconds(3).toNanos();

  /** How many times faster or slower the later half of the time may be. */
  private static final double UNSTEADY = 1.8;

  private record Sample(long time, long count) {}

  /**
   * How to measure.
   *
   * @param window how far back samples count
   * @param few how many times that the count grew are kept although they are older
   * @param leastGrowth how much the count must have grown
   * @param leastTime how long it must have been measured
   * @param pause how long it may stand still; null: three times as long as it usually does, and at
   *     least the window
   */
  private record Method(
      Duration window, int few, int leastGrowth, Duration leastTime, @Nullable Duration pause) {}

  private final Deque<Sample> growth = new ArrayDeque<>(); // the first one is where it started
  private final Method method;
  private long now;

  private RateEstimator(Method method) {
    this.method = method;
  }

  /** Of tokens, which come steadily: what counts is the last ten seconds. */
  public static RateEstimator ofTokens() {
    return ofTokens(Duration.ofSeconds(10));
  }

  public static RateEstimator ofTokens(Duration window) {
    return new RateEstimator(new Method(window, 1, 2, window.dividedBy(10), Duration.ofSeconds(5)));
  }

  /** Of tasks, which may take long each: the last half minute, or the last ten of them. */
  public static RateEstimator ofTasks() {
    return new RateEstimator(
        new Method(Duration.ofSeconds(30), 10, 3, Duration.ofSeconds(1), null));
  }

  /** Records the count at a time. */
  public void sample(long time, long count) {
    Sample last = growth.peekLast();
    if (last == null || count < last.count()) {
      growth.clear();
      growth.addLast(new Sample(time, count));
    } else if (count > last.count()) {
      boolean first = growth.size() == 1 && method.pause() != null;
      if (first || isPaused(now)) { // waiting is no part of the speed
        growth.clear();
        growth.addLast(new Sample(now, last.count()));
      }
      growth.addLast(new Sample(time, count));
    }
    now = time;
    while (growth.size() > method.few() + 1 && now - second().time() > method.window().toNanos()) {
      growth.removeFirst();
    }
  }

  private Sample second() {
    var each = growth.iterator();
    each.next();
    return each.next();
  }

  private boolean isPaused(long time) {
    return time - growth.getLast().time() > longestPause();
  }

  private long longestPause() {
    Duration pause = method.pause();
    if (pause != null) {
      return pause.toNanos();
    }
    long span = growth.getLast().time() - growth.getFirst().time();
    return growth.size() < 2
        ? Long.MAX_VALUE // the first one may take any time
        : Math.max(method.window().toNanos(), 3 * span / (growth.size() - 1));
  }

  /** Growth per second; 0 if no present rate is known. */
  public double perSecond() {
    if (growth.size() < 2 || isPaused(now)) {
      return 0;
    }
    long grown = growth.getLast().count() - growth.getFirst().count();
    long time = now - growth.getFirst().time();
    return grown < method.leastGrowth() || time < method.leastTime().toNanos()
        ? 0
        : grown * SECOND / time;
  }

  /**
   * The rate, if it was measured long enough and does not change too much to look ahead with it;
   * else 0.
   */
  public double steadyPerSecond() {
    double rate = perSecond();
    if (rate == 0 || now - growth.getFirst().time() < LOOK_AHEAD) {
      return 0;
    }
    long middle = growth.getFirst().time() + (now - growth.getFirst().time()) / 2;
    Sample half = growth.getFirst();
    for (Sample each : growth) {
      half = each.time() <= middle ? each : half;
    }
    double late = (growth.getLast().count() - half.count()) * SECOND / (now - half.time());
    return late > UNSTEADY * rate || rate > UNSTEADY * late ? 0 : rate;
  }
}
