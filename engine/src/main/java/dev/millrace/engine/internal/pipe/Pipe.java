package dev.millrace.engine.internal.pipe;

import dev.millrace.engine.error.EngineException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The origin's plan of which node has which layers, in order. A plan under construction may have
 * gaps; sequences use complete plans only.
 *
 * @param epoch of the plan; a later plan has a higher one, and steps of a lower one are rejected
 * @param origin the node that has embedding and head
 * @param layers how many the model has
 */
public record Pipe(long epoch, String origin, int layers, List<NodeLayers> nodeLayers) {

  /** Layers [from, to) at a node. */
  public record NodeLayers(String node, int from, int to) {}

  public Pipe {
    nodeLayers = List.copyOf(nodeLayers);
    int next = 0;
    for (NodeLayers stretch : nodeLayers) {
      if (stretch.from() < next || stretch.to() <= stretch.from() || stretch.to() > layers) {
        throw new EngineException(
            "pipe: layers [%d, %d) at node \"%s\" overlap, are out of order, or exceed the model's %d layers"
                .formatted(stretch.from(), stretch.to(), stretch.node(), layers));
      }
      next = stretch.to();
    }
  }

  /** Whether every layer has a node. */
  public boolean isComplete() {
    int covered = 0;
    for (NodeLayers stretch : nodeLayers) {
      covered += stretch.to() - stretch.from();
    }
    return covered == layers;
  }

  /** The number of nodes that compute a sequence, the origin included: as many can work at once. */
  public int nodeCount() {
    return (int)
        Stream.concat(Stream.of(origin), nodeLayers.stream().map(NodeLayers::node))
            .distinct()
            .count();
  }

  /** The nodes that compute a sequence besides that one, each once. */
  List<String> otherNodes(String node) {
    return nodeLayers.stream()
        .map(NodeLayers::node)
        .distinct()
        .filter(n -> !n.equals(node))
        .toList();
  }

  /**
   * Where rows that another node received for that layer return to the origin: its next layer, or
   * the head, which is {@link #layers}.
   */
  int homeAfter(int layer) {
    for (int i = 0; i < nodeLayers.size(); i++) {
      NodeLayers stretch = nodeLayers.get(i);
      if (stretch.from() > layer && stretch.node().equals(origin)) {
        return stretch.from();
      }
    }
    return layers;
  }

  /** The node of a layer; null if there is none. */
  public @Nullable String nodeOf(int layer) {
    for (int i = 0; i < nodeLayers.size(); i++) {
      NodeLayers stretch = nodeLayers.get(i);
      if (layer >= stretch.from() && layer < stretch.to()) {
        return stretch.node();
      }
    }
    return null;
  }
}
