package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.PipeState;
import dev.millrace.cluster.wire.Message;
import dev.millrace.engine.wheel.WheelStats;
import dev.millrace.engine.wheel.Wheels.Away;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What planning acts on. Nothing here waits for another node. */
interface Works {
  /** Queues a message; where it cannot be sent, {@link Event.Unreached} is told later. */
  void send(String node, Message message);

  /** From now on sequences go by this session through a pipe; null: by none, they wait. */
  void plan(int pipe, @Nullable Session session, String why);

  /** Ends what came through other nodes, wherever it is now: its tokens cannot be trusted. */
  void revokeAll(String why);

  /** Ends the links with a node: who waits to send it something waits no more. */
  void hangUp(String node, String why);

  /** The steps of a pipe that are with other nodes. */
  List<Away> away(int pipe);

  /** Whether no sequence would notice if a pipe had another plan. */
  boolean idle(int pipe);

  WheelStats stats(int pipe);

  /** Tells the network, and whoever asks, how the pipes are. */
  void announce(List<PipeState> pipes, List<String> expelled);
}
