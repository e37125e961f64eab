package dev.millrace.server.internal.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class CallerTurnsTest {
  private final Queue<Runnable> executor = new ArrayDeque<>();
  private final CallerTurns turns = new CallerTurns(executor::add, 2);
  private final List<String> done = new ArrayList<>();

  private void submit(String caller, int count) {
    for (int i = 0; i < count; i++) {
      String name = caller + i;
      turns.execute(caller, () -> done.add(name));
    }
  }

  private void runAll() {
    while (!executor.isEmpty()) {
      executor.remove().run();
    }
  }

  @Test
  void callerWithMuchWorkDelaysAnotherByItsFewTurns() {
    submit("a", 1_000);
    submit("b", 1);
    runAll();
    assertThat(done).hasSize(1_001).startsWith("a0", "a1", "b0", "a2");
  }

  @Test
  void workOfACallerKeepsItsOrder() {
    submit("a", 5);
    submit("b", 5);
    runAll();
    assertThat(done).containsExactly("a0", "a1", "b0", "b1", "a2", "a3", "b2", "b3", "a4", "b4");
  }

  @Test
  void turnThatEndsWhileAnotherRunsGivesTheNextOne() {
    turns.execute("a", () -> executor.remove().run());
    submit("a", 2);
    executor.remove().run();
    assertThat(done).containsExactly("a0");
    assertThat(executor).as("the second waits for a turn, and has one").hasSize(1);
    runAll();
    assertThat(done).containsExactly("a0", "a1");
  }

  @Test
  void workThatThrowsLeavesTheTurnsOfTheRest() {
    turns.execute(
        "a",
        () -> {
          throw new IllegalStateException("broken");
        });
    submit("a", 3);
    assertThatThrownBy(() -> executor.remove().run()).hasMessage("broken");
    runAll();
    assertThat(done).containsExactly("a0", "a1", "a2");
  }
}
