package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.link.NodeMessage;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;

/** Sends messages to other nodes for the compute thread, which never dials itself. */
interface NodeLinks {
  /** A node that cannot be reached, and why. */
  record Unreachable(String node, String why) {}

  /**
   * Sends a message soon, in order to each node. A node that is unreachable or not known yet is
   * retried for a while.
   */
  void sendSoon(String node, NodeMessage message);

  /**
   * Sends a frame over an open link; waits only while its queue is full.
   *
   * @throws dev.millrace.cluster.ClusterException if there is no link any more
   */
  void sendFrame(String node, NodeMessage frame);

  /**
   * Opens links to nodes that have none.
   *
   * @param made called by any thread when all are open, or with the first that failed
   */
  void connect(Collection<String> nodes, Consumer<Optional<Unreachable>> made);
}
