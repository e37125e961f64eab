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

/** A circuit breaker for calls that begin and end in different methods. Thread-safe. */
final class Breaker {
  static final String DEQUEUE = "dequeueTask";
  static final String HANDLER = "taskHandler";

  private final @Nullable CircuitBreaker breaker;

  Breaker(String name, BreakerSettings settings, TimeSource time, Consumer<State> changed) {
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
                .currentTimestampFunction(clock -> time.nanos(), TimeUnit.NANOSECONDS)
                .clock(clock(time))
                .build());
    breaker
        .getEventPublisher()
        .onStateTransition(event -> changed.accept(event.getStateTransition().getToState()));
  }

  /** The time source as a wall clock; the breaker uses only differences. */
  private static Clock clock(TimeSource time) {
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
        return Instant.EPOCH.plusNanos(time.nanos());
      }
    };
  }

  /** Whether a call may begin; the caller must end it with one of the methods below. */
  boolean tryBegin() {
    return breaker == null || breaker.tryAcquirePermission();
  }

  /** How many of {@code wanted} calls may begin. */
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

  /** Ends a call that neither succeeded nor failed, as far as the breaker is concerned. */
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
