package dev.millrace.cluster.internal.place;

import dev.millrace.cluster.LayerRange;
import java.util.List;

/**
 * A node as the planner sees it.
 *
 * @param loaded layers of the model that it has, apart and in order
 * @param coming layers of the model that it is getting
 * @param free bytes that it would give to further layers and their caches; 0: it takes none
 * @param speed bytes of weights that a step of one row passes in a second; 0 where not known
 * @param sessions that other origins have open there
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
