package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.wheel.BatchLoop.InFlightGroup;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What planning acts on. Nothing here waits for another node. */
public interface PipeActions {
  /** Queues a message; where it cannot be sent, {@link PlannerEvent.Unreached} is told later. */
  void send(String node, NodeMessage message);

  /** From now on sequences go by this session through a pipe; null: by none, they wait. */
  void usePlan(int pipe, @Nullable PipeSession session, String why);

  /** Ends what came through other nodes, wherever it is now: its tokens cannot be trusted. */
  void revokeAll(String why);

  /** Ends the links with a node: who waits to send it something waits no more. */
  void disconnect(String node, String why);

  /** The steps of a pipe that are with other nodes. */
  List<InFlightGroup> stepsAway(int pipe);

  /** Whether no sequence would notice if a pipe had another plan. */
  boolean isIdle(int pipe);

  WheelStats stats(int pipe);

  /** Tells the network, and whoever asks, how the pipes are. */
  void announce(List<PipeState> pipes, List<String> expelled);
}
