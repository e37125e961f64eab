package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.pipe.Frame.Kind;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.Pipe.Stretch;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReturnsTest {
  private static Returns returns(Stretch... stretches) {
    return new Returns(new Session(5, 0, new Pipe(1, "origin", 4, List.of(stretches))), 2);
  }

  private final Returns returns =
      returns(new Stretch("origin", 0, 1), new Stretch("a", 1, 2), new Stretch("b", 2, 4));

  @Test
  void stepsComeBackFromTheLastNodeOnly() {
    assertThat(returns.refuse("b", Kind.STEP, 100)).isNull();
    assertThat(returns.refuse("a", Kind.STEP, 100)).contains("not its to send");
    assertThat(returns.refuse("stranger", Kind.STEP, 100)).contains("not its to send");
    assertThat(returns.refuse("origin", Kind.STEP, 100)).contains("not its to send");
  }

  @Test
  void anyNodeOfThePlanMaySayThatAStepEnded() {
    assertThat(returns.refuse("a", Kind.ENDED, 100)).isNull();
    assertThat(returns.refuse("b", Kind.ENDED, 100)).isNull();
    assertThat(returns.refuse("stranger", Kind.ENDED, 100)).isNotNull();
    assertThat(returns.refuse("b", Kind.FORGET, 100)).as("that is the origin's to say").isNotNull();
  }

  @Test
  void whereTheOriginHasLayersInBetweenStepsComeBackBeforeThem() {
    Returns between =
        returns(
            new Stretch("a", 0, 1),
            new Stretch("origin", 1, 2),
            new Stretch("b", 2, 3),
            new Stretch("c", 3, 4));
    assertThat(between.refuse("a", Kind.STEP, 100)).isNull();
    assertThat(between.refuse("b", Kind.STEP, 100)).isNotNull();
    assertThat(between.refuse("c", Kind.STEP, 100)).isNull();
  }

  @Test
  void noNodeSendsMoreThanIsUnderWayBeforeItIsRead() {
    assertThat(returns.refuse("b", Kind.STEP, 100)).isNull();
    assertThat(returns.refuse("b", Kind.ENDED, 100)).isNull();
    assertThat(returns.refuse("b", Kind.STEP, 100)).contains("more frames than are under way");
    assertThat(returns.refuse("a", Kind.ENDED, 100)).as("another's are not its fault").isNull();
    returns.read("b");
    assertThat(returns.refuse("b", Kind.STEP, 100)).isNull();
    assertThat(returns.refuse("b", Kind.STEP, 100)).isNotNull();
    assertThat(returns.warn("b")).isTrue();
    assertThat(returns.warn("b")).as("once is enough").isFalse();
  }

  @Test
  void whatComesBackIsNoLargerThanWhatWent() {
    assertThat(returns.refuse("b", Kind.STEP, 8_193)).contains("larger than any that went");
    returns.sent(10_000);
    returns.sent(500);
    assertThat(returns.refuse("b", Kind.STEP, 10_000)).isNull();
    assertThat(returns.refuse("b", Kind.STEP, 10_001)).isNotNull();
  }
}
