package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.NodeState;
import java.util.List;

/** Events for the planner's thread. */
public sealed interface PlannerEvent {
  /** The states of all live members. */
  record States(List<NodeState> states) implements PlannerEvent {}

  /** The link with a node is lost. */
  record Lost(String node, String why) implements PlannerEvent {}

  record Opened(String node, long session) implements PlannerEvent {}

  record Refused(String node, long session, String why) implements PlannerEvent {}

  /**
   * A message to a node could not be sent.
   *
   * @param by the node that could not send; empty: this origin
   */
  record Unreached(String node, long session, String by, String why) implements PlannerEvent {}

  /**
   * The answer of a node to a probe.
   *
   * @param stretches of the node, in the order of the plan
   */
  record Probed(String node, long session, List<StretchProgress> stretches)
      implements PlannerEvent {}

  /** The last groups that a stretch received and sent on. */
  record StretchProgress(long received, long passed) {}

  /**
   * A node could not compute a step.
   *
   * @param accept delivers the failure to the step's sequences, which end
   */
  record Failed(String node, long session, String why, Runnable accept) implements PlannerEvent {}

  /** A node is suspicious and is left out for a while, even if no pipe uses it. */
  record Suspect(String node, String why) implements PlannerEvent {}

  /** An audit found nodes that sent a wrong result or twice withheld their records. */
  record WrongResult(List<String> nodes, String why) implements PlannerEvent {}
}
