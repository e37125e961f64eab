package dev.millrace.http.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Token buckets with a manual clock. */
final class RateLimiterTest {
  private static final long SECOND = 1_000_000_000L;
  private final AtomicLong now = new AtomicLong(-5 * SECOND);

  private RateLimiter limit(double rate, int burst) {
    return new RateLimiter(rate, burst, now::get);
  }

  @Test
  void burstIsAllowedThenTheRate() {
    RateLimiter limit = limit(2, 3);
    for (int i = 0; i < 3; i++) {
      assertThat(limit.take("a")).isZero();
    }
    assertThat(limit.take("a")).isOne();
    now.addAndGet(SECOND / 2);
    assertThat(limit.take("a")).isZero();
    assertThat(limit.take("a")).isOne();
    now.addAndGet(100 * SECOND);
    for (int i = 0; i < 3; i++) {
      assertThat(limit.take("a")).as("at most the burst is saved").isZero();
    }
    assertThat(limit.take("a")).isOne();
  }

  @Test
  void callersHaveSeparateBuckets() {
    RateLimiter limit = limit(0.1, 1);
    assertThat(limit.take("a")).isZero();
    assertThat(limit.take("a")).isEqualTo(10);
    assertThat(limit.take("b")).isZero();
  }

  @Test
  void callersLearnWhatTheyHaveLeft() {
    RateLimiter limit = limit(2, 5);
    assertThat(limit.allowance("a")).hasValue(new RateLimiter.Allowance(5, 5, Duration.ZERO));
    limit.take("a");
    limit.take("a");
    now.addAndGet(SECOND / 4);
    assertThat(limit.allowance("a"))
        .hasValue(new RateLimiter.Allowance(5, 3, Duration.ofMillis(750)));
  }

  @Test
  void noRateMeansNoLimit() {
    RateLimiter limit = limit(0, 1);
    assertThat(limit.allowance("a")).isEmpty();
    for (int i = 0; i < 100; i++) {
      assertThat(limit.take("a")).isZero();
    }
    assertThat(limit.size()).isZero();
  }

  @Test
  void tooManyCallersShareOneBucket() {
    RateLimiter limit = limit(1, 5);
    for (int i = 0; i < 10_000; i++) {
      assertThat(limit.take("caller " + i)).isZero();
    }
    int granted = 0;
    for (int i = 0; i < 1000; i++) {
      granted += limit.take("newcomer " + i) == 0 ? 1 : 0;
    }
    assertThat(granted).isEqualTo(5);
    assertThat(limit.size()).isEqualTo(10_000);
    assertThat(limit.take("caller 7")).as("known callers are not affected").isZero();
    now.addAndGet(10 * SECOND);
    assertThat(limit.take("newcomer")).isZero();
    assertThat(limit.size()).as("full buckets are removed").isLessThan(10);
  }
}
