package dev.millrace.cluster.internal.link;

/**
 * Who takes what comes over links. Called by the links' own threads, in order for each node; it
 * must leave things for others and return at once.
 */
public interface MessageReceiver {
  void received(String from, NodeMessage message);

  /**
   * There is no link from or to that node any more: it closed, broke, or was silent for too long.
   */
  void lost(String node, String why);
}
