package dev.millrace.cluster.wire;

/** The way to other nodes, as those see it who only send. */
public interface Post {
  /**
   * Queues a message; messages to one node arrive in order, or {@link Receiver#lost} is told. Where
   * the queue is full it waits: that is the back-pressure.
   *
   * @throws dev.millrace.cluster.ClusterException where the node is not known or not reached
   */
  void send(String node, Message message);
}
