package dev.millrace.cluster.internal.place;

import dev.millrace.cluster.LayerRange;
import java.util.List;

/**
 * The result of the planner.
 *
 * @param pipes that can run now, the best first; no node is in two of them
 * @param assignments layers that nodes should load
 * @param missing layers that no node has, loads, or has memory for
 * @param coming layers of the first pipe that are being loaded or were assigned now
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

  /** A node should load these layers. */
  public record LayerAssignment(String node, LayerRange range) {}
}
