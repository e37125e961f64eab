package dev.millrace.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PriorityTest {
  private static final Instant NOW = Instant.parse("2026-03-01T08:00:00.123456Z");

  @Test
  void aHigherPriorityIsEarlierAtTheSameTime() {
    Priority[] all = Priority.values();
    for (int i = 1; i < all.length; i++) {
      assertThat(all[i - 1].queueRank(NOW)).isLessThan(all[i].queueRank(NOW));
    }
  }

  @Test
  void insideAPriorityTheFirstComesFirst() {
    for (Priority priority : Priority.values()) {
      assertThat(priority.queueRank(NOW)).isLessThan(priority.queueRank(NOW.plusNanos(1_000)));
      assertThat(priority.queueRank(NOW)).isEqualTo(priority.queueRank(NOW.plusNanos(999)));
    }
  }

  @Test
  void aJobOvertakesThoseOneLevelAboveThatCameHalfAnHourLater() {
    Duration ageing = Priority.AGEING;
    for (int i = 1; i < Priority.values().length; i++) {
      Priority above = Priority.values()[i - 1];
      long place = Priority.values()[i].queueRank(NOW);
      assertThat(above.queueRank(NOW.plus(ageing).minusNanos(1_000))).isLessThan(place);
      assertThat(above.queueRank(NOW.plus(ageing))).isEqualTo(place);
      assertThat(above.queueRank(NOW.plus(ageing).plusNanos(1_000))).isGreaterThan(place);
    }
  }

  @Test
  void theLowestWaitsForTheHighestTwoHoursAtMost() {
    assertThat(Priority.VERY_LOW.queueRank(NOW))
        .isEqualTo(Priority.VERY_HIGH.queueRank(NOW.plus(Duration.ofHours(2))));
  }
}
