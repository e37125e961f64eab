package dev.millrace.core.store;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that stands until it is told otherwise, and may be set back. Thread-safe. */
public final class ManualClock extends Clock {

  /** Where the kit's clocks start. */
  public static final Instant START = Instant.parse("2026-03-01T08:00:00Z");

  private volatile Instant now;

  public ManualClock() {
    this(START);
  }

  public ManualClock(Instant start) {
    this.now = start;
  }

  public void set(Instant instant) {
    now = instant;
  }

  /** Steps on, or back if {@code step} is negative. */
  public void advance(Duration step) {
    now = now.plus(step);
  }

  @Override
  public Instant instant() {
    return now;
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
