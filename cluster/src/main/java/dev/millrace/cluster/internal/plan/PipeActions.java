package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.wheel.BatchLoop.InFlightGroup;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the planner can do to pipes and nodes: send messages, set plans, revoke sequences,
 * disconnect nodes. No action waits for another node.
 */
public interface PipeActions {
  /** Queues a message; if it cannot be sent, a {@link PlannerEvent.Unreached} follows. */
  void send(String node, NodeMessage message);

  /** Sets the session of a pipe for its sequences; null: they wait. */
  void usePlan(int pipe, @Nullable PipeSession session, String why);

  /** Revokes all sequences that passed through other nodes; their tokens cannot be trusted. */
  void revokeAll(String why);

  /** Ends the links with a node, so that nothing waits to be sent there. */
  void disconnect(String node, String why);

  /** The steps of a pipe that are in flight. */
  List<InFlightGroup> stepsAway(int pipe);

  /** Whether a pipe can be replanned without disturbing a sequence. */
  boolean isIdle(int pipe);

  WheelStats stats(int pipe);

  /** Broadcasts the state of the pipes. */
  void announce(List<PipeState> pipes, List<String> expelled);
}
