package dev.millrace.client.worker;

import dev.millrace.client.internal.transport.TimeSource;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A circuit breaker over calls that begin and end in different places. Thread-safe. */
final class Breaker {
  static final String DEQUEUE = "dequeueTask";
  static final String HANDLER = "taskHandler";

  private final @Nullable CircuitBreaker breaker;

  Breaker(String name, BreakerSettings settings, TimeSource timing, Consumer<State> changed) {
    if (!settings.enabled()) {
      breaker = null;
      return;
    }
    breaker =
        CircuitBreaker.of(
            name,
            CircuitBreakerConfig.custom()
                .failureRateThreshold(settings.errorPercent())
                .slidingWindow(
                    Math.toIntExact(settings.window().toSeconds()),
                    settings.volume(),
                    CircuitBreakerConfig.SlidingWindowType.TIME_BASED)
                .waitDurationInOpenState(settings.reset())
                .permittedNumberOfCallsInHalfOpenState(1)
                .slowCallRateThreshold(100)
                .currentTimestampFunction(clock -> timing.nanos(), TimeUnit.NANOSECONDS)
                .clock(clock(timing))
                .build());
    breaker
        .getEventPublisher()
        .onStateTransition(event -> changed.accept(event.getStateTransition().getToState()));
  }

  /** As a wall clock, for only differences count. */
  private static Clock clock(TimeSource timing) {
    return new Clock() {
      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        return this;
      }

      @Override
      public Instant instant() {
        return Instant.EPOCH.plusNanos(timing.nanos());
      }
    };
  }

  /** Whether a call may begin; each that does ends by one of the methods below. */
  boolean tryBegin() {
    return breaker == null || breaker.tryAcquirePermission();
  }

  /** As many of {@code wanted} calls as may begin. */
  int tryBegin(int wanted) {
    int begun = 0;
    while (begun < wanted && tryBegin()) {
      begun++;
    }
    return begun;
  }

  void succeeded(long nanos) {
    if (breaker != null) {
      breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
    }
  }

  void failed(long nanos, Throwable cause) {
    if (breaker != null) {
      breaker.onError(nanos, TimeUnit.NANOSECONDS, cause);
    }
  }

  /** The call said nothing about what the breaker guards. */
  void releasePermit() {
    if (breaker != null) {
      breaker.releasePermission();
    }
  }

  void releasePermit(int calls) {
    for (int i = 0; i < calls; i++) {
      releasePermit();
    }
  }
}
