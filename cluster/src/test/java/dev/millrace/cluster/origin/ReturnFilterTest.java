package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.engine.internal.pipe.Frame.Kind;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReturnFilterTest {
  private static ReturnFilter returns(NodeLayers... stretches) {
    return new ReturnFilter(new PipeSession(5, 0, new Pipe(1, "origin", 4, List.of(stretches))), 2);
  }

  private final ReturnFilter returns =
      returns(new NodeLayers("origin", 0, 1), new NodeLayers("a", 1, 2), new NodeLayers("b", 2, 4));

  @Test
  void stepsComeBackFromTheLastNodeOnly() {
    assertThat(returns.refusalReason("b", Kind.STEP, 100)).isNull();
    assertThat(returns.refusalReason("a", Kind.STEP, 100)).contains("must not send");
    assertThat(returns.refusalReason("stranger", Kind.STEP, 100)).contains("must not send");
    assertThat(returns.refusalReason("origin", Kind.STEP, 100)).contains("must not send");
  }

  @Test
  void anyNodeOfThePlanMaySayThatAStepEnded() {
    assertThat(returns.refusalReason("a", Kind.ENDED, 100)).isNull();
    assertThat(returns.refusalReason("b", Kind.ENDED, 100)).isNull();
    assertThat(returns.refusalReason("stranger", Kind.ENDED, 100)).isNotNull();
    assertThat(returns.refusalReason("b", Kind.FORGET, 100))
        .as("that is the origin's to say")
        .isNotNull();
  }

  @Test
  void whereTheOriginHasLayersInBetweenStepsComeBackBeforeThem() {
    ReturnFilter between =
        returns(
            new NodeLayers("a", 0, 1),
            new NodeLayers("origin", 1, 2),
            new NodeLayers("b", 2, 3),
            new NodeLayers("c", 3, 4));
    assertThat(between.refusalReason("a", Kind.STEP, 100)).isNull();
    assertThat(between.refusalReason("b", Kind.STEP, 100)).isNotNull();
    assertThat(between.refusalReason("c", Kind.STEP, 100)).isNull();
  }

  @Test
  void noNodeSendsMoreThanIsUnderWayBeforeItIsRead() {
    assertThat(returns.refusalReason("b", Kind.STEP, 100)).isNull();
    assertThat(returns.refusalReason("b", Kind.ENDED, 100)).isNull();
    assertThat(returns.refusalReason("b", Kind.STEP, 100))
        .contains("more frames than are in flight");
    assertThat(returns.refusalReason("a", Kind.ENDED, 100))
        .as("another's are not its fault")
        .isNull();
    returns.frameRead("b");
    assertThat(returns.refusalReason("b", Kind.STEP, 100)).isNull();
    assertThat(returns.refusalReason("b", Kind.STEP, 100)).isNotNull();
    assertThat(returns.isFirstWarning("b")).isTrue();
    assertThat(returns.isFirstWarning("b")).as("once is enough").isFalse();
  }

  @Test
  void aReturnedFrameLargerThanAnySentIsRefused() {
    assertThat(returns.refusalReason("b", Kind.STEP, 8_193)).contains("larger than any sent to it");
    returns.frameSent(10_000);
    returns.frameSent(500);
    assertThat(returns.refusalReason("b", Kind.STEP, 10_000)).isNull();
    assertThat(returns.refusalReason("b", Kind.STEP, 10_001)).isNotNull();
  }
}
