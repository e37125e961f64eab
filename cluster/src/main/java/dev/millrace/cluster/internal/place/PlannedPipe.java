package dev.millrace.cluster.internal.place;

import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.List;

/**
 * A sequence of stretches through all layers of a model. The constructor checks that every layer is
 * covered exactly once.
 */
public record PlannedPipe(int layers, List<NodeLayers> stretches) {
  public PlannedPipe {
    stretches = List.copyOf(stretches);
    int next = 0;
    for (NodeLayers stretch : stretches) {
      if (stretch.from() != next || stretch.to() <= stretch.from()) {
        throw new IllegalArgumentException(
            "layers [%d, %d) at node \"%s\" where layer %d is next"
                .formatted(stretch.from(), stretch.to(), stretch.node(), next));
      }
      next = stretch.to();
    }
    if (next != layers) {
      throw new IllegalArgumentException(
          "a pipe of %d layers ends with layer %d".formatted(layers, next));
    }
  }
}
