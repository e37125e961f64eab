package dev.millrace.core.time;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/**
 * The two clocks of a process: the wall clock, which someone may set at any time, and monotonic
 * time, which only passes. Thread-safe.
 */
public abstract class ProcessClock extends Clock {

  /**
   * Monotonic nanoseconds, as {@link System#nanoTime}: only differences have a meaning. On Linux it
   * stands still while the machine is suspended.
   */
  public abstract long nanoTime();

  /** The clocks of this machine. */
  public static ProcessClock system() {
    return of(Clock.systemUTC());
  }

  /** {@code wall} itself if it has both clocks, else {@code wall} with the machine's monotonic time. */
  public static ProcessClock of(Clock wall) {
    return wall instanceof ProcessClock both ? both : new WithMachineTime(wall);
  }

  private static final class WithMachineTime extends ProcessClock {
    private final Clock wall;

    WithMachineTime(Clock wall) {
      this.wall = wall;
    }

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public Instant instant() {
      return wall.instant();
    }

    @Override
    public ZoneId getZone() {
      return wall.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return new WithMachineTime(wall.withZone(zone));
    }
  }
}
