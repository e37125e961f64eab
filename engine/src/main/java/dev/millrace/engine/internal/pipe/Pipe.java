package dev.millrace.engine.internal.pipe;

import dev.millrace.engine.error.EngineException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A plan of the origin: which node has which layers, in order. It may have gaps, as long as it is
 * being filled; a sequence goes through a complete one only.
 *
 * @param epoch of the plan; a later plan has a higher one, and steps of a lower one are refused
 * @param origin the node that has the end
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
            "pipe: layers [%d, %d) at node \"%s\" overlap, stand out of order, or exceed the model's %d layers"
                .formatted(stretch.from(), stretch.to(), stretch.node(), layers));
      }
      next = stretch.to();
    }
  }

  /** Whether every layer is somewhere. */
  public boolean isComplete() {
    int covered = 0;
    for (NodeLayers stretch : nodeLayers) {
      covered += stretch.to() - stretch.from();
    }
    return covered == layers;
  }

  /** At how many nodes a sequence is computed, the origin included: as many can work at once. */
  public int nodeCount() {
    return (int)
        Stream.concat(Stream.of(origin), nodeLayers.stream().map(NodeLayers::node))
            .distinct()
            .count();
  }

  /** The nodes that a sequence is computed at beside that one, each once. */
  List<String> otherNodes(String node) {
    return nodeLayers.stream()
        .map(NodeLayers::node)
        .distinct()
        .filter(n -> !n.equals(node))
        .toList();
  }

  /**
   * Where rows that another node got for that layer come back to the origin: the next layer that is
   * there, or the head, which is at {@link #layers}.
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

  /** Who has the layer; null where nobody has. */
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
