package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.PipeStretch;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.ArrayList;
import java.util.List;

/**
 * A pipe under one plan, with the session that its nodes have open.
 *
 * @param id random: a node that does not know it cannot take part
 * @param pipe the pipe's number
 */
public record PipeSession(long id, int pipe, Pipe plan) {
  /** Which node computes which layers, the origin included. */
  List<PipeStretch> stretches() {
    return plan.nodeLayers().stream()
        .map(layers -> new PipeStretch(layers.node(), layers.from(), layers.to()))
        .toList();
  }

  /** The stretches of other nodes, in order. */
  List<NodeLayers> remoteStretches() {
    return plan.nodeLayers().stream().filter(s -> !s.node().equals(plan.origin())).toList();
  }

  /** As {@link #remoteStretches}, with adjacent stretches of one node merged. */
  public List<NodeLayers> stages() {
    return merged(remoteStretches());
  }

  private static List<NodeLayers> merged(List<NodeLayers> stretches) {
    List<NodeLayers> stages = new ArrayList<>();
    for (NodeLayers stretch : stretches) {
      NodeLayers last = stages.isEmpty() ? null : stages.getLast();
      if (last != null && last.node().equals(stretch.node()) && last.to() == stretch.from()) {
        stages.set(stages.size() - 1, new NodeLayers(last.node(), last.from(), stretch.to()));
      } else {
        stages.add(stretch);
      }
    }
    return stages;
  }

  /** The other nodes, in order, each once. */
  public List<String> otherNodes() {
    return remoteStretches().stream().map(NodeLayers::node).distinct().toList();
  }

  /** The number of stretches of a node. */
  public int stretches(String node) {
    return (int) remoteStretches().stream().filter(stretch -> stretch.node().equals(node)).count();
  }

  /** Whether a node sends steps to the origin: it is the last before the origin's next layer. */
  public boolean returnsFrom(String node) {
    List<NodeLayers> all = plan.nodeLayers();
    for (int i = 0; i < all.size(); i++) {
      String next = i + 1 < all.size() ? all.get(i + 1).node() : plan.origin();
      if (all.get(i).node().equals(node) && next.equals(plan.origin())) {
        return includes(node);
      }
    }
    return false;
  }

  public boolean includes(String node) {
    for (NodeLayers stretch : plan.nodeLayers()) {
      if (stretch.node().equals(node)) {
        return !node.equals(plan.origin());
      }
    }
    return false;
  }

  /** Which node has which layers, as people read it. */
  String describe() {
    StringBuilder text = new StringBuilder();
    for (NodeLayers stretch : merged(plan.nodeLayers())) {
      boolean here = stretch.node().equals(plan.origin());
      text.append(text.isEmpty() ? "layers " : ", ").append(stretch.from());
      if (stretch.to() - stretch.from() > 1) {
        text.append('-').append(stretch.to() - 1);
      }
      text.append(here ? " here" : " at " + stretch.node());
    }
    return text.toString();
  }
}
