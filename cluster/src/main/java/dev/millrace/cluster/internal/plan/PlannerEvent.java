package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.NodeState;
import java.util.List;

/** What the planner's thread is told by others. */
public sealed interface PlannerEvent {
  /** The states of all live members. */
  record States(List<NodeState> states) implements PlannerEvent {}

  /** There is no link with a node any more. */
  record Lost(String node, String why) implements PlannerEvent {}

  record Opened(String node, long session) implements PlannerEvent {}

  record Refused(String node, long session, String why) implements PlannerEvent {}

  /**
   * Something for that node could not be sent.
   *
   * @param by the node that could not; empty: we
   */
  record Unreached(String node, long session, String by, String why) implements PlannerEvent {}

  /**
   * How far steps are at a node.
   *
   * @param stretches of it, in the order of the plan
   */
  record Probed(String node, long session, List<StretchProgress> stretches)
      implements PlannerEvent {}

  /** The last steps that a node got for a stretch, and passed on from it. */
  record StretchProgress(long received, long passed) {}

  /**
   * A node says that it could not compute a step.
   *
   * @param accept gives the answer to the step's sequences, which end by it
   */
  record Failed(String node, long session, String why, Runnable accept) implements PlannerEvent {}

  /** A node is to be left for a while though no pipe of ours may be using it. */
  record Suspect(String node, String why) implements PlannerEvent {}

  /** Nodes were found lying. */
  record Lied(List<String> nodes, String why) implements PlannerEvent {}
}
