package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.link.NodeMessage;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;

/** The ways to other nodes, for the thread that computes: it looks for nobody itself. */
interface NodeLinks {
  /** A node that there is no way to, and why. */
  record Unreachable(String node, String why) {}

  /**
   * Tells something soon: to one node in order. One that is not reached, or not known here yet, is
   * tried again for a while.
   */
  void sendSoon(String node, NodeMessage message);

  /**
   * Sends a frame over a link that stands; waits only while its queue is full.
   *
   * @throws dev.millrace.cluster.ClusterException where there is no link any more
   */
  void sendFrame(String node, NodeMessage frame);

  /**
   * Makes links to nodes where there are none.
   *
   * @param made told by any thread when all stand, or which one does not
   */
  void connect(Collection<String> nodes, Consumer<Optional<Unreachable>> made);
}
