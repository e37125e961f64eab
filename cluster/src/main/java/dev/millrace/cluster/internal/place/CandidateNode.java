package dev.millrace.cluster.internal.place;

import dev.millrace.cluster.LayerRange;
import java.util.List;

/**
 * A node as the planner sees it.
 *
 * @param loaded layers of the model that it has, in order and not overlapping
 * @param coming layers of the model that it is loading
 * @param free memory for further layers and their caches; 0: it loads none
 * @param speed bytes of weights per second in a step of one row; 0: unknown
 * @param sessions open for other origins
 */
public record CandidateNode(
    String node,
    List<LayerRange> loaded,
    List<LayerRange> coming,
    long free,
    double speed,
    int sessions) {
  public CandidateNode {
    loaded = List.copyOf(loaded);
    coming = List.copyOf(coming);
  }
}
