package dev.millrace.cluster.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.internal.plan.NodePenalties.Fault;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class NodePenaltiesTest {
  private final NodePenalties penalties = new NodePenalties();

  private static long seconds(long count) {
    return TimeUnit.SECONDS.toNanos(count);
  }

  @Test
  void aFaultIsLeftForFiveSecondsAndTwiceAsLongEachTime() {
    long now = 0;
    for (long penalty : new long[] {5, 10, 20, 40, 80, 160, 300, 300}) {
      penalties.penalize("a", Fault.WORK, "slow", now);
      assertThat(penalties.exclusionReason("a", now + seconds(penalty) - 1)).isEqualTo("slow");
      assertThat(penalties.exclusionReason("a", now + seconds(penalty))).isNull();
      assertThat(penalties.anyReturned(now, now + seconds(penalty))).isTrue();
      assertThat(penalties.anyReturned(now, now + seconds(penalty) - 1)).isFalse();
      now += seconds(penalty) + 7;
    }
  }

  @Test
  void theSameFaultReportedTwiceCountsOnce() {
    penalties.penalize("a", Fault.WORK, "slow", 0);
    penalties.penalize("a", Fault.WORK, "slow", seconds(1));
    assertThat(penalties.exclusionReason("a", seconds(6))).isNull();
    penalties.penalize("a", Fault.WORK, "slow", seconds(7));
    assertThat(penalties.exclusionReason("a", seconds(16))).isNotNull();
    assertThat(penalties.exclusionReason("a", seconds(17))).isNull();
  }

  @Test
  void aLostLinkShortensNoPenalty() {
    penalties.penalize("a", Fault.WORK, "slow", 0);
    penalties.penalize("a", Fault.LINK, "lost", seconds(1));
    assertThat(penalties.exclusionReason("a", seconds(4))).isEqualTo("slow");
    assertThat(penalties.exclusionReason("b", seconds(4))).isNull();
  }

  @Test
  void aLostLinkCountsUntilAWhileAfterTheNodesNextState() {
    penalties.penalize("a", Fault.LINK, "lost", 0);
    assertThat(penalties.isSilentSinceLoss("a")).isTrue();
    assertThat(penalties.exclusionReason("a", seconds(15) - 1)).isEqualTo("lost");
    assertThat(penalties.exclusionReason("a", seconds(15))).isNull();
    penalties.seen("a");
    assertThat(penalties.exclusionReason("a", seconds(1) - 1)).isEqualTo("lost");
    assertThat(penalties.exclusionReason("a", seconds(1))).isNull();
    assertThat(penalties.isSilentSinceLoss("a")).isFalse();
    penalties.penalize("a", Fault.WORK, "slow", 0);
    penalties.seen("a");
    assertThat(penalties.exclusionReason("a", seconds(5) - 1)).isEqualTo("slow");
  }

  @Test
  void aResetOrALongTimeOfWorkClearsEarlierPenalties() {
    penalties.penalize("a", Fault.LINK, "lost", 0);
    penalties.reset("a");
    assertThat(penalties.exclusionReason("a", 1)).isNull();
    penalties.penalize("a", Fault.WORK, "slow", 0);
    penalties.workedFor("a", seconds(10));
    penalties.penalize("a", Fault.WORK, "slow", seconds(20));
    assertThat(penalties.exclusionReason("a", seconds(29)))
        .as("10 s are not more than twice 5")
        .isNotNull();
    penalties.workedFor("a", seconds(21));
    penalties.penalize("a", Fault.WORK, "slow", seconds(60));
    assertThat(penalties.exclusionReason("a", seconds(65))).isNull();
  }

  @Test
  void anExpelledNodeIsNeverUsedAgain() {
    penalties.expel("b", "lied");
    penalties.expel("a", "lied");
    penalties.reset("a");
    penalties.workedFor("a", Long.MAX_VALUE / 4);
    penalties.penalize("a", Fault.LINK, "lost", 0);
    assertThat(penalties.exclusionReason("a", Long.MAX_VALUE / 4)).isEqualTo("lied");
    assertThat(penalties.expelled()).containsExactly("a", "b");
  }
}
