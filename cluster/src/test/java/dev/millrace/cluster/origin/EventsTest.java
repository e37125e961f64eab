package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EventsTest {
  private final Events events = new Events();

  private List<Event> all() {
    List<Event> all = new ArrayList<>();
    for (Event event = events.next(); event != null; event = events.next()) {
      all.add(event);
    }
    return all;
  }

  @Test
  void aNodeFillsItsOwnShareOnly() {
    for (int i = 0; i < 10_000; i++) {
      events.put("a", new Event.Refused("a", i, "no"));
    }
    events.put("b", new Event.Opened("b", 1));
    List<Event> all = all();
    assertThat(all).hasSize(Events.MOST + 1);
    assertThat(all.getFirst()).isEqualTo(new Event.Refused("a", 0, "no"));
    assertThat(all.getLast()).isEqualTo(new Event.Opened("b", 1));
    events.put("a", new Event.Opened("a", 1));
    assertThat(all()).as("once they are read there is room").hasSize(1);
  }

  @Test
  void ofStatesAndOfALostLinkTheLatestCounts() {
    for (int i = 0; i < 100; i++) {
      events.put("", new Event.States(List.of(Village.node("a", i))));
      events.put("a", new Event.Lost("a", "for time " + i));
      events.put("b", new Event.Lost("b", "for time " + i));
    }
    assertThat(all())
        .containsExactly(
            new Event.States(List.of(Village.node("a", 99))),
            new Event.Lost("a", "for time 99"),
            new Event.Lost("b", "for time 99"));
  }

  @Test
  void nothingComesWhereNothingHappens() throws InterruptedException {
    assertThat(events.take(1)).isNull();
    events.put("", new Event.Lied(List.of("a"), "it lied"));
    assertThat(events.take(1)).isEqualTo(new Event.Lied(List.of("a"), "it lied"));
  }
}
