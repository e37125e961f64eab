package dev.millrace.server;

import dev.millrace.core.state.TransitionTable;

/** The transition table of a server. */
public final class ServerTransitions {

  public static final TransitionTable<ServerState, ServerEvent> TABLE =
      TransitionTable.of(
          "server",
          ServerState.class,
          ServerEvent.class,
          """
          START | U | STARTING                    | RUNNING  |
          DRAIN | U | RUNNING                     | DRAINING |
          IDLE  | S | DRAINING                    | STOPPING | nothing runs, and nothing will be claimable by itself
          STOP  | U | RUNNING, DRAINING           | STOPPING |
          STOP  | U | STARTING                    | STOPPED  | it never ran
          BREAK | S | RUNNING, DRAINING, STOPPING | STOPPING | the store can no longer vouch for what it holds
          END   | S | STOPPING                    | STOPPED  | no task runs
          """);

  private ServerTransitions() {}
}
