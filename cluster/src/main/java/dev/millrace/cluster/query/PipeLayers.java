package dev.millrace.cluster.query;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.PipeStretch;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the layers of a pipe are, and which are missing.
 *
 * @param layers of the model
 * @param stretches who computes which layers; adjacent ranges of one node are merged
 * @param coming layers of the model that nodes are loading
 */
public record PipeLayers(int layers, List<PipeStretch> stretches, List<LayerRange> coming) {
  public PipeLayers {
    stretches = List.copyOf(stretches);
    coming = List.copyOf(coming);
  }

  /**
   * @param states of all nodes of the network
   */
  public static PipeLayers of(List<NodeState> states, PipeState pipe) {
    return new PipeLayers(pipe.layers(), merged(pipe.stretches()), coming(states, pipe));
  }

  private static List<PipeStretch> merged(List<PipeStretch> stretches) {
    List<PipeStretch> merged = new ArrayList<>();
    for (PipeStretch next : stretches) {
      PipeStretch last = merged.isEmpty() ? null : merged.getLast();
      if (last != null && last.node().equals(next.node()) && last.to() == next.from()) {
        merged.set(merged.size() - 1, new PipeStretch(last.node(), last.from(), next.to()));
      } else {
        merged.add(next);
      }
    }
    return merged;
  }

  private static List<LayerRange> coming(List<NodeState> states, PipeState pipe) {
    List<LayerRange> coming = new ArrayList<>();
    for (NodeState state : states) {
      for (HeldLayers holding : state.holdings()) {
        boolean underway =
            holding.state() == HeldLayers.State.FETCHING
                || holding.state() == HeldLayers.State.LOADING;
        if (underway && holding.sha256().equals(pipe.sha256())) {
          coming.add(new LayerRange(holding.from(), holding.to()));
        }
      }
    }
    return coming;
  }

  /** The ranges of the stretches. */
  public List<LayerRange> loaded() {
    return stretches.stream().map(each -> new LayerRange(each.from(), each.to())).toList();
  }

  /** Layers that are neither in the pipe nor being loaded. */
  public List<LayerRange> missing() {
    boolean[] there = new boolean[layers + 1];
    there[layers] = true; // ends the last gap
    List<LayerRange> all = new ArrayList<>(loaded());
    all.addAll(coming);
    for (LayerRange range : all) {
      for (int layer = range.from(); layer < Math.min(range.to(), layers); layer++) {
        there[layer] = true;
      }
    }
    List<LayerRange> missing = new ArrayList<>();
    int from = -1;
    for (int layer = 0; layer < there.length; layer++) {
      if (!there[layer] && from < 0) {
        from = layer;
      } else if (there[layer] && from >= 0) {
        missing.add(new LayerRange(from, layer));
        from = -1;
      }
    }
    return missing;
  }

  /** A line of text, see {@link PipePicture}. */
  public String picture(int width) {
    return PipePicture.of(layers, loaded(), coming, width);
  }
}
