package dev.millrace.cluster.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.internal.plan.PipeStateMachine.State;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PipeStateMachineTest {
  private final PipeStateMachine pipe = new PipeStateMachine(2);

  private static PipeSession session(String... nodes) {
    List<NodeLayers> stretches = new java.util.ArrayList<>();
    stretches.add(new NodeLayers("origin", 0, 1));
    for (String node : nodes) {
      stretches.add(new NodeLayers(node, stretches.size(), stretches.size() + 1));
    }
    return new PipeSession(7, 2, new Pipe(1, "origin", stretches.size(), stretches));
  }

  @Test
  void itRunsWhenTheLastNodeHasOpened() {
    assertThat(pipe.planned(session("a", "b"), 10)).isFalse();
    assertThat(pipe.awaited()).containsExactly("a", "b");
    assertThat(pipe.opened("b", 20)).isFalse();
    assertThat(pipe.opened("b", 20)).as("told twice").isFalse();
    assertThat(pipe.opened("stranger", 20)).isFalse();
    assertThat(pipe.state()).isEqualTo(State.OPENING);
    assertThat(pipe.since()).isEqualTo(10);
    assertThat(pipe.opened("a", 30)).isTrue();
    assertThat(pipe.isRunning()).isTrue();
    assertThat(pipe.since()).isEqualTo(30);
    assertThat(pipe.opened("a", 40)).isFalse();
  }

  @Test
  void aPipeThatIsAllHereRunsAtOnce() {
    assertThat(pipe.planned(session(), 10)).isTrue();
  }

  @Test
  void aBrokenPipeHasNoSessionAndMayBePlannedAgain() {
    pipe.planned(session("a"), 10);
    assertThat(pipe.broken(11).id()).isEqualTo(7);
    assertThat(pipe.session()).isNull();
    pipe.planned(session("b"), 12);
    pipe.opened("b", 13);
    assertThat(pipe.broken(14).otherNodes()).containsExactly("b");
    assertThat(pipe.state()).isEqualTo(State.NONE);
  }

  @Test
  void transitionsThatAreNotInTheTableAreRefused() {
    assertThatThrownBy(() -> pipe.broken(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("pipe 2: no transition on BROKEN from NONE");
    pipe.planned(session("a"), 1);
    assertThatThrownBy(() -> pipe.planned(session("a"), 2))
        .hasMessage("pipe 2: no transition on PLANNED from OPENING");
  }

  @Test
  void aSessionDescribesTheLayersOfEachNode() {
    PipeSession session = session("a", "b");
    assertThat(session.describe()).isEqualTo("layers 0 here, 1 at a, 2 at b");
    assertThat(session.includes("a")).isTrue();
    assertThat(session.includes("origin")).isFalse();
    assertThat(session.includes("c")).isFalse();
  }
}
