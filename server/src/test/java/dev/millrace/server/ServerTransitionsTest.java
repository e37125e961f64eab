package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.state.IllegalTransitionException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks every pair of state and event in the transition table of the server. */
class ServerTransitionsTest {

  private static final Map<String, ServerState> LEGAL =
      Map.ofEntries(
          Map.entry("STARTING START", ServerState.RUNNING),
          Map.entry("STARTING STOP", ServerState.STOPPED),
          Map.entry("RUNNING DRAIN", ServerState.DRAINING),
          Map.entry("RUNNING STOP", ServerState.STOPPING),
          Map.entry("RUNNING BREAK", ServerState.STOPPING),
          Map.entry("DRAINING IDLE", ServerState.STOPPING),
          Map.entry("DRAINING STOP", ServerState.STOPPING),
          Map.entry("DRAINING BREAK", ServerState.STOPPING),
          Map.entry("STOPPING BREAK", ServerState.STOPPING),
          Map.entry("STOPPING END", ServerState.STOPPED));

  @Test
  void everyPairIsLegalOrRefused() {
    for (ServerState state : ServerState.values()) {
      for (ServerEvent event : ServerEvent.values()) {
        ServerState to = LEGAL.get(state + " " + event);
        if (to != null) {
          assertThat(ServerTransitions.TABLE.move(state, event)).isEqualTo(to);
        } else {
          assertThatThrownBy(() -> ServerTransitions.TABLE.move(state, event))
              .isInstanceOf(IllegalTransitionException.class);
        }
      }
    }
  }

  @Test
  void onlyStoppedIsFinal() {
    for (ServerState state : ServerState.values()) {
      assertThat(ServerTransitions.TABLE.isFinal(state)).isEqualTo(state == ServerState.STOPPED);
    }
  }
}
