package dev.millrace.cluster.internal.place;

import dev.millrace.cluster.LayerRange;
import java.util.List;

/**
 * What the planner makes of what there is.
 *
 * @param pipes that can run now, the best first; no node is in two of them
 * @param assignments layers for nodes to get
 * @param missing layers that nobody has or gets, and nobody has the memory for
 * @param coming layers that a first pipe lacks and that are on their way, or assigned now
 */
public record Placement(
    List<PlannedPipe> pipes,
    List<LayerAssignment> assignments,
    List<LayerRange> missing,
    List<LayerRange> coming) {
  public Placement {
    pipes = List.copyOf(pipes);
    assignments = List.copyOf(assignments);
    missing = List.copyOf(missing);
    coming = List.copyOf(coming);
  }

  /** A node is to get these layers. */
  public record LayerAssignment(String node, LayerRange range) {}
}
