package dev.millrace.cluster.internal.link;

/**
 * Receives messages and losses of links. Called by the links' own threads, in order for each node;
 * it must hand work to other threads and return at once.
 */
public interface MessageReceiver {
  void received(String from, NodeMessage message);

  /** The links with a node ended: it closed, they broke, or it was silent for too long. */
  void lost(String node, String why);
}
