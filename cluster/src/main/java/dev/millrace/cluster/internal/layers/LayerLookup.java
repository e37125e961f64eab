package dev.millrace.cluster.internal.layers;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.text.DisplayText;
import java.util.ArrayList;
import java.util.List;

/** Finds loaded layers on this node that together make up the range that a session needs. */
public final class LayerLookup {
  /** Layers [from, to) of an entry. */
  public record Piece(LayerEntry held, int from, int to) {}

  private final List<LayerEntry> all;
  private final String sha256;
  private final String model;

  /**
   * @param sha256 of the needed model
   * @param model its name, for people
   */
  LayerLookup(List<LayerEntry> all, String sha256, String model) {
    this.all = all;
    this.sha256 = sha256;
    this.model = model;
  }

  /**
   * Loaded layers that make up [from, to), in order.
   *
   * @throws ClusterException if a layer is not on this node, or still loading
   */
  List<Piece> of(int from, int to) {
    List<Piece> pieces = new ArrayList<>();
    for (int next = from; next < to; ) {
      LayerEntry best = null;
      for (LayerEntry held : all) {
        boolean fits = held.isLoaded() && held.sha256.equals(sha256) && held.contains(next);
        if (fits && (best == null || held.range.to() > best.range.to())) {
          best = held;
        }
      }
      if (best == null) {
        throw new ClusterException(absence(next, to));
      }
      int end = Math.min(to, best.range.to());
      pieces.add(new Piece(best, next, end));
      next = end;
    }
    return pieces;
  }

  /** Why a layer is missing. */
  private String absence(int layer, int to) {
    for (LayerEntry held : all) {
      boolean same = held.sha256.equals(sha256);
      boolean maybe = held.sha256.isEmpty() && held.model.equals(model);
      if (held.isComing() && (same || maybe) && held.contains(layer)) {
        return "%s %s still loading"
            .formatted(held.range.describe(), held.range.choose("is", "are"));
      }
      if (held.state == HeldLayers.State.FAILED && same && held.contains(layer)) {
        return "%s could not be loaded: %s".formatted(held.range.describe(), held.problem);
      }
      if (held.isNamesake(sha256, model)) {
        return held.otherFileMessage(sha256);
      }
    }
    LayerRange rest = new LayerRange(layer, to);
    return "%s of model %s (hash %s) %s not on this node"
        .formatted(rest.describe(), model, DisplayText.shortHash(sha256), rest.choose("is", "are"));
  }
}
