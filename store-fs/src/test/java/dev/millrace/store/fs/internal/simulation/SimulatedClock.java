package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.time.ProcessClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;

/**
 * The clocks of a simulated machine: both run with the scheduler's time, and the wall clock jumps.
 */
final class SimulatedClock extends ProcessClock {
  private final LongSupplier nanos;
  private Duration ahead;
  private boolean wasSet;

  /**
   * @param ahead how far the wall clock is ahead of the time that has passed
   */
  SimulatedClock(LongSupplier nanos, Duration ahead) {
    this.nanos = nanos;
    this.ahead = ahead;
  }

  /** Whether the wall clock has jumped: then its time does not tell what is due. */
  boolean wasSet() {
    return wasSet;
  }

  /** How far it is ahead of the time that has passed. */
  Duration ahead() {
    return ahead;
  }

  /** Sets the clock forward, or back if it is negative. */
  void jump(Duration by) {
    ahead = ahead.plus(by);
    wasSet = true;
  }

  @Override
  public long nanoTime() {
    return nanos.getAsLong();
  }

  @Override
  public Instant instant() {
    return ManualClock.START.plus(ahead).plusNanos(nanos.getAsLong());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
