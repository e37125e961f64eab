package dev.millrace.core.time;

import java.time.Duration;
import java.time.Instant;

/**
 * One point in time on both clocks.
 *
 * @param wall for the log and for people
 * @param steady on the process's {@link ProcessTimeline}: what is due is decided by it alone
 */
public record Moment(Instant wall, Instant steady) {

  /** For those who only read: as if the wall clock had never been set. */
  public static Moment of(Instant time) {
    return new Moment(time, time);
  }

  public Moment plus(Duration time) {
    return new Moment(wall.plus(time), steady.plus(time));
  }
}
