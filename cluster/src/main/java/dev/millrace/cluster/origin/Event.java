package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.NodeState;
import java.util.List;

/** What the planner's thread is told by others. */
sealed interface Event {
  /** The states of all live members. */
  record States(List<NodeState> states) implements Event {}

  /** There is no link with a node any more. */
  record Lost(String node, String why) implements Event {}

  record Opened(String node, long session) implements Event {}

  record Refused(String node, long session, String why) implements Event {}

  /**
   * Something for that node could not be sent.
   *
   * @param by the node that could not; empty: we
   */
  record Unreached(String node, long session, String by, String why) implements Event {}

  /**
   * How far steps are at a node.
   *
   * @param stretches of it, in the order of the plan
   */
  record Probed(String node, long session, List<Progress> stretches) implements Event {}

  /** The last steps that a node got for a stretch, and passed on from it. */
  record Progress(long received, long passed) {}

  /**
   * A node says that it could not compute a step.
   *
   * @param accept gives the answer to the step's sequences, which end by it
   */
  record Failed(String node, long session, String why, Runnable accept) implements Event {}

  /** A node is to be left for a while though no pipe of ours may be using it. */
  record Doubtful(String node, String why) implements Event {}

  /** Nodes were found lying. */
  record Lied(List<String> nodes, String why) implements Event {}
}
