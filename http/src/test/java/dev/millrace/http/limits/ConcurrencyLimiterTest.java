package dev.millrace.http.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.millrace.http.limits.ConcurrencyLimiter.Refused;
import dev.millrace.http.limits.ConcurrencyLimiter.Slot;
import dev.millrace.http.route.Problem;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConcurrencyLimiterTest {
  private final ConcurrencyLimiter limiter =
      new ConcurrencyLimiter("open streams", new HttpLimits.Cap(2, 3), 5);

  private void refused(@Nullable String caller, Problem.Kind kind, String message) {
    assertThatExceptionOfType(Problem.class)
        .isThrownBy(() -> limiter.open(caller))
        .withMessage(message)
        .satisfies(problem -> assertThat(problem.kind()).isEqualTo(kind))
        .satisfies(problem -> assertThat(problem.headers()).containsEntry("Retry-After", "5"));
  }

  @Test
  void callerAtItsLimitLeavesTheRestToOthers() {
    Slot first = limiter.open("key \"a\"");
    limiter.open("key \"a\"");
    refused(
        "key \"a\"",
        Problem.Kind.TOO_MANY_REQUESTS,
        "the key \"a\" has 2 open streams, the most of one caller; end some, or try again in 5 s");
    limiter.open("key \"b\"");
    refused(
        "key \"b\"",
        Problem.Kind.UNAVAILABLE,
        "the server has 3 open streams, its most; end some, or try again in 5 s");
    assertThat(limiter.refused()).isEqualTo(new Refused(1, 1));
    first.close();
    first.close(); // counts once
    assertThat(limiter.size()).isEqualTo(2);
    limiter.open("key \"a\"");
    assertThat(limiter.size()).isEqualTo(3);
  }

  @Test
  void withoutACallerOnlyAllCount() {
    for (int i = 0; i < 3; i++) {
      limiter.open(null);
    }
    refused(
        null,
        Problem.Kind.UNAVAILABLE,
        "the server has 3 open streams, its most; end some, or try again in 5 s");
  }
}
