package dev.millrace.cluster.node;

import dev.millrace.engine.internal.pipe.Pipe;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * For each stretch of layers on a node, the last group of sequences received and the last one sent
 * on. A step may pass a node twice, so the node may have several stretches. Thread-safe.
 */
final class StepProgress {
  private final List<Pipe.NodeLayers> stretches;
  private final AtomicLongArray groups; // received and passed on, of each stretch

  StepProgress(String node, Pipe plan) {
    stretches = plan.nodeLayers().stream().filter(one -> one.node().equals(node)).toList();
    groups = new AtomicLongArray(2 * stretches.size());
    for (int i = 0; i < groups.length(); i++) {
      groups.set(i, -1);
    }
  }

  /** A group has arrived for a layer. */
  void received(int layer, long group) {
    set(layer, group, 0);
  }

  /** The group that arrived for a layer was sent on. */
  void passed(int layer, long group) {
    set(layer, group, 1);
  }

  /** Adjacent stretches are computed together. */
  private void set(int layer, long group, int which) {
    int next = layer;
    for (int i = 0; i < stretches.size(); i++) {
      Pipe.NodeLayers stretch = stretches.get(i);
      if (stretch.from() <= next && next < stretch.to()) {
        groups.set(2 * i + which, group);
        next = stretch.to();
      }
    }
  }

  /** For each stretch in the order of the plan: received and sent on; -1 before the first. */
  long[] snapshot() {
    long[] copy = new long[groups.length()];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = groups.get(i);
    }
    return copy;
  }
}
