package dev.millrace.cluster.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlannerEventQueueTest {
  private final PlannerEventQueue events = new PlannerEventQueue();

  private List<PlannerEvent> all() {
    List<PlannerEvent> all = new ArrayList<>();
    for (PlannerEvent event = events.next(); event != null; event = events.next()) {
      all.add(event);
    }
    return all;
  }

  @Test
  void aNodeFillsItsOwnShareOnly() {
    for (int i = 0; i < 10_000; i++) {
      events.put("a", new PlannerEvent.Refused("a", i, "no"));
    }
    events.put("b", new PlannerEvent.Opened("b", 1));
    List<PlannerEvent> all = all();
    assertThat(all).hasSize(PlannerEventQueue.MAX_PER_NODE + 1);
    assertThat(all.getFirst()).isEqualTo(new PlannerEvent.Refused("a", 0, "no"));
    assertThat(all.getLast()).isEqualTo(new PlannerEvent.Opened("b", 1));
    events.put("a", new PlannerEvent.Opened("a", 1));
    assertThat(all()).as("once they are read there is room").hasSize(1);
  }

  @Test
  void ofStatesAndOfALostLinkTheLatestCounts() {
    for (int i = 0; i < 100; i++) {
      events.put("", new PlannerEvent.States(List.of(SimulatedNodes.node("a", i))));
      events.put("a", new PlannerEvent.Lost("a", "for time " + i));
      events.put("b", new PlannerEvent.Lost("b", "for time " + i));
    }
    assertThat(all())
        .containsExactly(
            new PlannerEvent.States(List.of(SimulatedNodes.node("a", 99))),
            new PlannerEvent.Lost("a", "for time 99"),
            new PlannerEvent.Lost("b", "for time 99"));
  }

  @Test
  void nothingComesWhereNothingHappens() throws InterruptedException {
    assertThat(events.take(1)).isNull();
    events.put("", new PlannerEvent.WrongResult(List.of("a"), "it lied"));
    assertThat(events.take(1)).isEqualTo(new PlannerEvent.WrongResult(List.of("a"), "it lied"));
  }
}
