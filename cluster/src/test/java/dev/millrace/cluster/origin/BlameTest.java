package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.origin.Blame.Fault;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class BlameTest {
  private final Blame blame = new Blame();

  private static long seconds(long count) {
    return TimeUnit.SECONDS.toNanos(count);
  }

  @Test
  void aFaultIsLeftForFiveSecondsAndTwiceAsLongEachTime() {
    long now = 0;
    for (long penalty : new long[] {5, 10, 20, 40, 80, 160, 300, 300}) {
      blame.leave("a", Fault.WORK, "slow", now);
      assertThat(blame.whyLeft("a", now + seconds(penalty) - 1)).isEqualTo("slow");
      assertThat(blame.whyLeft("a", now + seconds(penalty))).isNull();
      assertThat(blame.anyBack(now, now + seconds(penalty))).isTrue();
      assertThat(blame.anyBack(now, now + seconds(penalty) - 1)).isFalse();
      now += seconds(penalty) + 7;
    }
  }

  @Test
  void theSameTroubleToldTwiceCountsOnce() {
    blame.leave("a", Fault.WORK, "slow", 0);
    blame.leave("a", Fault.WORK, "slow", seconds(1));
    assertThat(blame.whyLeft("a", seconds(6))).isNull();
    blame.leave("a", Fault.WORK, "slow", seconds(7));
    assertThat(blame.whyLeft("a", seconds(16))).isNotNull();
    assertThat(blame.whyLeft("a", seconds(17))).isNull();
  }

  @Test
  void aLostLinkShortensNoPenalty() {
    blame.leave("a", Fault.WORK, "slow", 0);
    blame.leave("a", Fault.LINK, "lost", seconds(1));
    assertThat(blame.whyLeft("a", seconds(4))).isEqualTo("slow");
    assertThat(blame.whyLeft("b", seconds(4))).isNull();
  }

  @Test
  void aLostLinkCountsUntilTheNodeTellsSomethingNewAndAWhile() {
    blame.leave("a", Fault.LINK, "lost", 0);
    assertThat(blame.isUnseen("a")).isTrue();
    assertThat(blame.whyLeft("a", seconds(15) - 1)).isEqualTo("lost");
    assertThat(blame.whyLeft("a", seconds(15))).isNull();
    blame.seen("a");
    assertThat(blame.whyLeft("a", seconds(1) - 1)).isEqualTo("lost");
    assertThat(blame.whyLeft("a", seconds(1))).isNull();
    assertThat(blame.isUnseen("a")).isFalse();
    blame.leave("a", Fault.WORK, "slow", 0);
    blame.seen("a");
    assertThat(blame.whyLeft("a", seconds(5) - 1)).isEqualTo("slow");
  }

  @Test
  void whoCameBackOrWorkedLongIsNotBlamed() {
    blame.leave("a", Fault.LINK, "lost", 0);
    blame.seenAgain("a");
    assertThat(blame.whyLeft("a", 1)).isNull();
    blame.leave("a", Fault.WORK, "slow", 0);
    blame.worked("a", seconds(10));
    blame.leave("a", Fault.WORK, "slow", seconds(20));
    assertThat(blame.whyLeft("a", seconds(29))).as("10 s are not more than twice 5").isNotNull();
    blame.worked("a", seconds(21));
    blame.leave("a", Fault.WORK, "slow", seconds(60));
    assertThat(blame.whyLeft("a", seconds(65))).isNull();
  }

  @Test
  void whoLiedIsNeverUsedAgain() {
    blame.expel("b", "lied");
    blame.expel("a", "lied");
    blame.seenAgain("a");
    blame.worked("a", Long.MAX_VALUE / 4);
    blame.leave("a", Fault.LINK, "lost", 0);
    assertThat(blame.whyLeft("a", Long.MAX_VALUE / 4)).isEqualTo("lied");
    assertThat(blame.expelled()).containsExactly("a", "b");
  }
}
