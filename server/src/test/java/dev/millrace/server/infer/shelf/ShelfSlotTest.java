package dev.millrace.server.infer.shelf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.server.infer.shelf.ShelfSlot.Event;
import dev.millrace.server.infer.shelf.ShelfSlot.State;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Checks every pair of state and event in the transition table of a model. */
class ShelfSlotTest {
  private static final Map<String, State> LEGAL =
      Map.of(
          "OUT COME", State.COMING,
          "COMING LOADED", State.IN,
          "COMING GONE", State.OUT,
          "IN BREAK", State.BROKEN,
          "IN LEAVE", State.GOING,
          "BROKEN LEAVE", State.GOING,
          "GOING GONE", State.OUT);

  @Test
  void everyPairIsLegalOrRefused() {
    for (State state : State.values()) {
      for (Event event : Event.values()) {
        assertThat(ShelfSlot.TABLE.next(state, event))
            .as("%s from %s", event, state)
            .isEqualTo(Optional.ofNullable(LEGAL.get(state + " " + event)));
      }
    }
  }
}
