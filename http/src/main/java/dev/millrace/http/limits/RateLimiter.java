package dev.millrace.http.limits;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A token bucket for each caller: at most {@code burst} tokens, {@code rate} more per second, one
 * for each request. Full buckets are removed. When there are too many others, new callers share
 * one, so that many addresses cannot exhaust memory.
 */
public final class RateLimiter {
  private static final int MAX_CALLERS = 10_000;
  private static final double SECOND = 1e9;

  private final double rate;
  private final int burst;
  private final LongSupplier clock;
  private final ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();
  private final Bucket newcomers;
  private final AtomicLong nextSweep;

  /**
   * @param clock nanoseconds since any origin
   */
  public RateLimiter(double rate, int burst, LongSupplier clock) {
    this.rate = rate;
    this.burst = burst;
    this.clock = clock;
    this.newcomers = new Bucket(clock.getAsLong());
    this.nextSweep = new AtomicLong(clock.getAsLong());
  }

  /**
   * Takes a token.
   *
   * @return 0 if there was one, else the seconds until there is one, rounded up
   */
  public long take(String caller) {
    if (rate == 0) {
      return 0;
    }
    long now = clock.getAsLong();
    return bucket(caller, now).take(now);
  }

  /**
   * What a caller has left.
   *
   * @param requests that are answered without a wait
   * @param untilFull until it may send a whole burst again
   */
  public record Allowance(int burst, long requests, Duration untilFull) {}

  /** What a caller has left now; empty if there is no limit. */
  public Optional<Allowance> allowance(String caller) {
    if (rate == 0) {
      return Optional.empty();
    }
    Bucket known = buckets.get(caller);
    if (known == null && buckets.size() < MAX_CALLERS) {
      return Optional.of(new Allowance(burst, burst, Duration.ZERO));
    }
    return Optional.of((known == null ? newcomers : known).allowance(clock.getAsLong()));
  }

  int size() {
    return buckets.size();
  }

  private Bucket bucket(String caller, long now) {
    Bucket known = buckets.get(caller);
    if (known != null) {
      return known;
    }
    if (buckets.size() >= MAX_CALLERS) {
      sweep(now);
      if (buckets.size() >= MAX_CALLERS) {
        return newcomers;
      }
    }
    return buckets.computeIfAbsent(caller, key -> new Bucket(now));
  }

  /** At most once a second, because it looks at all buckets. */
  private void sweep(long now) {
    long due = nextSweep.get();
    if (now - due >= 0 && nextSweep.compareAndSet(due, now + (long) SECOND)) {
      buckets.values().removeIf(bucket -> bucket.isFull(now));
    }
  }

  private final class Bucket {
    private double tokens = burst;
    private long at;

    Bucket(long now) {
      at = now;
    }

    synchronized long take(long now) {
      fill(now);
      if (tokens >= 1) {
        tokens--;
        return 0;
      }
      return Math.max(1, (long) Math.ceil((1 - tokens) / rate));
    }

    synchronized Allowance allowance(long now) {
      fill(now);
      double missing = (burst - tokens) / rate * SECOND;
      return new Allowance(burst, (long) tokens, Duration.ofNanos((long) missing));
    }

    synchronized boolean isFull(long now) {
      fill(now);
      return tokens >= burst;
    }

    private void fill(long now) {
      tokens = Math.min(burst, tokens + Math.max(0, now - at) / SECOND * rate);
      at = now;
    }
  }
}
