package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.origin.PipeControl.State;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.Pipe.Stretch;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PipeControlTest {
  private final PipeControl pipe = new PipeControl(2);

  private static Session session(String... nodes) {
    List<Stretch> stretches = new java.util.ArrayList<>();
    stretches.add(new Stretch("origin", 0, 1));
    for (String node : nodes) {
      stretches.add(new Stretch(node, stretches.size(), stretches.size() + 1));
    }
    return new Session(7, 2, new Pipe(1, "origin", stretches.size(), stretches));
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
  void aBrokenPipeHasNoSessionAndMayBePlannedAnew() {
    pipe.planned(session("a"), 10);
    assertThat(pipe.broken(11).id()).isEqualTo(7);
    assertThat(pipe.session()).isNull();
    pipe.planned(session("b"), 12);
    pipe.opened("b", 13);
    assertThat(pipe.broken(14).others()).containsExactly("b");
    assertThat(pipe.state()).isEqualTo(State.NONE);
  }

  @Test
  void whatTheTableHasNotIsRefused() {
    assertThatThrownBy(() -> pipe.broken(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("pipe 2: no way on BROKEN from NONE");
    pipe.planned(session("a"), 1);
    assertThatThrownBy(() -> pipe.planned(session("a"), 2))
        .hasMessage("pipe 2: no way on PLANNED from OPENING");
  }

  @Test
  void aSessionSaysWhoHasWhat() {
    Session session = session("a", "b");
    assertThat(session.words()).isEqualTo("layers 0 here, 1 at a, 2 at b");
    assertThat(session.has("a")).isTrue();
    assertThat(session.has("origin")).isFalse();
    assertThat(session.has("c")).isFalse();
  }
}
