package dev.millrace.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a stop divides its time. */
class GracefulShutdownTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 5, 10, 30, 60, 86_400})
  void tasksAndRequestsLeaveTimeForTheRest(int seconds) {
    Duration timeout = Duration.ofSeconds(seconds);
    Duration taken = GracefulShutdown.grace(timeout).plus(GracefulShutdown.requestGrace(timeout));

    assertThat(timeout.minus(taken))
        .isGreaterThanOrEqualTo(seconds < 30 ? timeout.dividedBy(6) : Duration.ofSeconds(5));
  }

  @Test
  void byDefaultTasksHave20SecondsAndRequests5() {
    Duration usual = Duration.ofSeconds(30);

    assertThat(GracefulShutdown.grace(usual)).isEqualTo(Duration.ofSeconds(20));
    assertThat(GracefulShutdown.requestGrace(usual)).isEqualTo(Duration.ofSeconds(5));
  }
}
