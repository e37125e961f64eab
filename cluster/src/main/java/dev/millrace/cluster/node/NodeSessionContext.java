package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.layers.ComputeQueue;
import dev.millrace.engine.internal.pipe.Segment;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * What all sessions of a node share.
 *
 * @param node its name
 * @param queue of the thread that computes
 * @param clock nanoseconds
 * @param hook wraps every segment; tests use it to make a node that lies
 */
record NodeSessionContext(
    String node,
    NodeLinks links,
    ComputeQueue queue,
    LongSupplier clock,
    UnaryOperator<Segment> hook) {

  NodeSessionContext withLinks(NodeLinks others) {
    return new NodeSessionContext(node, others, queue, clock, hook);
  }
}
