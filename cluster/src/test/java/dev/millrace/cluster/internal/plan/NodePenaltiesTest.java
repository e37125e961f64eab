package dev.millrace.cluster.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.internal.plan.NodePenalties.Fault;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class NodePenaltiesTest {
  private final NodePenalties blame = new NodePenalties();

  private static long seconds(long count) {
    return TimeUnit.SECONDS.toNanos(count);
  }

  @Test
  void aFaultIsLeftForFiveSecondsAndTwiceAsLongEachTime() {
    long now = 0;
    for (long penalty : new long[] {5, 10, 20, 40, 80, 160, 300, 300}) {
      blame.penalize("a", Fault.WORK, "slow", now);
      assertThat(blame.exclusionReason("a", now + seconds(penalty) - 1)).isEqualTo("slow");
      assertThat(blame.exclusionReason("a", now + seconds(penalty))).isNull();
      assertThat(blame.anyReturned(now, now + seconds(penalty))).isTrue();
      assertThat(blame.anyReturned(now, now + seconds(penalty) - 1)).isFalse();
      now += seconds(penalty) + 7;
    }
  }

  @Test
  void theSameFaultReportedTwiceCountsOnce() {
    blame.penalize("a", Fault.WORK, "slow", 0);
    blame.penalize("a", Fault.WORK, "slow", seconds(1));
    assertThat(blame.exclusionReason("a", seconds(6))).isNull();
    blame.penalize("a", Fault.WORK, "slow", seconds(7));
    assertThat(blame.exclusionReason("a", seconds(16))).isNotNull();
    assertThat(blame.exclusionReason("a", seconds(17))).isNull();
  }

  @Test
  void aLostLinkShortensNoPenalty() {
    blame.penalize("a", Fault.WORK, "slow", 0);
    blame.penalize("a", Fault.LINK, "lost", seconds(1));
    assertThat(blame.exclusionReason("a", seconds(4))).isEqualTo("slow");
    assertThat(blame.exclusionReason("b", seconds(4))).isNull();
  }

  @Test
  void aLostLinkCountsUntilAWhileAfterTheNodesNextState() {
    blame.penalize("a", Fault.LINK, "lost", 0);
    assertThat(blame.isSilentSinceLoss("a")).isTrue();
    assertThat(blame.exclusionReason("a", seconds(15) - 1)).isEqualTo("lost");
    assertThat(blame.exclusionReason("a", seconds(15))).isNull();
    blame.seen("a");
    assertThat(blame.exclusionReason("a", seconds(1) - 1)).isEqualTo("lost");
    assertThat(blame.exclusionReason("a", seconds(1))).isNull();
    assertThat(blame.isSilentSinceLoss("a")).isFalse();
    blame.penalize("a", Fault.WORK, "slow", 0);
    blame.seen("a");
    assertThat(blame.exclusionReason("a", seconds(5) - 1)).isEqualTo("slow");
  }

  @Test
  void whoCameBackOrWorkedLongIsNotBlamed() {
    blame.penalize("a", Fault.LINK, "lost", 0);
    blame.reset("a");
    assertThat(blame.exclusionReason("a", 1)).isNull();
    blame.penalize("a", Fault.WORK, "slow", 0);
    blame.workedFor("a", seconds(10));
    blame.penalize("a", Fault.WORK, "slow", seconds(20));
    assertThat(blame.exclusionReason("a", seconds(29)))
        .as("10 s are not more than twice 5")
        .isNotNull();
    blame.workedFor("a", seconds(21));
    blame.penalize("a", Fault.WORK, "slow", seconds(60));
    assertThat(blame.exclusionReason("a", seconds(65))).isNull();
  }

  @Test
  void whoLiedIsNeverUsedAgain() {
    blame.expel("b", "lied");
    blame.expel("a", "lied");
    blame.reset("a");
    blame.workedFor("a", Long.MAX_VALUE / 4);
    blame.penalize("a", Fault.LINK, "lost", 0);
    assertThat(blame.exclusionReason("a", Long.MAX_VALUE / 4)).isEqualTo("lied");
    assertThat(blame.expelled()).containsExactly("a", "b");
  }
}
