package dev.millrace.cluster.node;

import dev.millrace.cluster.wire.Message;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;

/** The ways to other nodes, for the thread that computes: it looks for nobody itself. */
interface Roads {
  /** A node that there is no way to, and why. */
  record Cut(String node, String why) {}

  /**
   * Tells something soon: to one node in order. One that is not reached, or not known here yet, is
   * tried again for a while.
   */
  void tell(String node, Message message);

  /**
   * Sends a frame over a link that stands; waits only while its queue is full.
   *
   * @throws dev.millrace.cluster.ClusterException where there is no link any more
   */
  void pass(String node, Message frame);

  /**
   * Makes links to nodes where there are none.
   *
   * @param made told by any thread when all stand, or which one does not
   */
  void link(Collection<String> nodes, Consumer<Optional<Cut>> made);
}
