package dev.millrace.cluster.internal.layers;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import java.util.ArrayList;
import java.util.List;

/** Which of the layers that are held make up those that a session needs. */
public final class LayerCoverage {
  /** Layers [from, to) of what is held. */
  public record Piece(LayerEntry held, int from, int to) {}

  private final List<LayerEntry> all;
  private final String sha256;
  private final String model;

  /**
   * @param sha256 of the model that is needed
   * @param model its name, for people
   */
  LayerCoverage(List<LayerEntry> all, String sha256, String model) {
    this.all = all;
    this.sha256 = sha256;
    this.model = model;
  }

  /**
   * Loaded layers that make up [from, to), in order.
   *
   * @throws ClusterException where some are not here, or not yet
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

  /** Why a layer is not here. */
  private String absence(int layer, int to) {
    for (LayerEntry held : all) {
      boolean same = held.sha256.equals(sha256);
      boolean maybe = held.sha256.isEmpty() && held.model.equals(model);
      if (held.isComing() && (same || maybe) && held.contains(layer)) {
        return "%s %s still loading"
            .formatted(LayerText.describe(held.range), LayerText.are(held.range));
      }
      if (held.state == HeldLayers.State.FAILED && same && held.contains(layer)) {
        return "%s could not be loaded: %s".formatted(LayerText.describe(held.range), held.problem);
      }
      if (held.isNamesake(sha256, model)) {
        return held.otherFileMessage(sha256);
      }
    }
    LayerRange rest = new LayerRange(layer, to);
    return "%s of model %s (hash %s) %s not here"
        .formatted(
            LayerText.describe(rest), model, LayerEntry.shortHash(sha256), LayerText.are(rest));
  }
}
