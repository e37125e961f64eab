package dev.millrace.server;

import static dev.millrace.core.state.Actor.SYSTEM;
import static dev.millrace.core.state.Actor.USER;
import static dev.millrace.server.ServerState.DRAINING;
import static dev.millrace.server.ServerState.RUNNING;
import static dev.millrace.server.ServerState.STARTING;
import static dev.millrace.server.ServerState.STOPPED;
import static dev.millrace.server.ServerState.STOPPING;

import dev.millrace.core.state.TransitionTable;
import java.util.EnumSet;
import java.util.Set;

/** The transition table of a server. */
public final class ServerTransitions {

  public static final TransitionTable<ServerState, ServerEvent> TABLE =
      TransitionTable.of("server", ServerState.class, ServerEvent.class)
          .on(ServerEvent.START, Set.of(USER), EnumSet.of(STARTING), RUNNING, "")
          .on(ServerEvent.DRAIN, Set.of(USER), EnumSet.of(RUNNING), DRAINING, "")
          .on(
              ServerEvent.IDLE,
              Set.of(SYSTEM),
              EnumSet.of(DRAINING),
              STOPPING,
              "nothing runs, and nothing will be claimable by itself")
          .on(ServerEvent.STOP, Set.of(USER), EnumSet.of(RUNNING, DRAINING), STOPPING, "")
          .on(ServerEvent.STOP, Set.of(USER), EnumSet.of(STARTING), STOPPED, "it never ran")
          .on(
              ServerEvent.BREAK,
              Set.of(SYSTEM),
              EnumSet.of(RUNNING, DRAINING, STOPPING),
              STOPPING,
              "the store can no longer vouch for what it holds")
          .on(ServerEvent.END, Set.of(SYSTEM), EnumSet.of(STOPPING), STOPPED, "no task runs")
          .build();

  private ServerTransitions() {}
}
