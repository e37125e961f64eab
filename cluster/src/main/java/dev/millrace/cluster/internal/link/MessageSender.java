package dev.millrace.cluster.internal.link;

/** The way to other nodes, as those see it who only send. */
public interface MessageSender {
  /**
   * Queues a message; messages to one node arrive in order, or {@link MessageReceiver#lost} is told. Where
   * the queue is full it waits: that is the back-pressure.
   *
   * @throws dev.millrace.cluster.ClusterException where the node is not known or not reached
   */
  void send(String node, NodeMessage message);
}
