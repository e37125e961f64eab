package dev.millrace.cluster.internal.link;

/** Sends messages to other nodes. */
public interface MessageSender {
  /**
   * Queues a message. Messages to one node arrive in order, or {@link MessageReceiver#lost} is
   * called. If the queue is full, this waits (back-pressure).
   *
   * @throws dev.millrace.cluster.ClusterException if the node is unknown or cannot be reached
   */
  void send(String node, NodeMessage message);
}
