package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Holding;
import dev.millrace.cluster.place.Range;
import java.util.ArrayList;
import java.util.List;

/** Which of the layers that are held make up those that a session needs. */
final class Coverage {
  /** Layers [from, to) of what is held. */
  record Piece(Held held, int from, int to) {}

  private final List<Held> all;
  private final String sha256;
  private final String model;

  /**
   * @param sha256 of the model that is needed
   * @param model its name, for people
   */
  Coverage(List<Held> all, String sha256, String model) {
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
      Held best = null;
      for (Held held : all) {
        boolean fits = held.isLoaded() && held.sha256.equals(sha256) && held.has(next);
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
    for (Held held : all) {
      boolean same = held.sha256.equals(sha256);
      boolean maybe = held.sha256.isEmpty() && held.model.equals(model);
      if (held.isComing() && (same || maybe) && held.has(layer)) {
        return "%s %s still loading".formatted(Phrase.layers(held.range), Phrase.are(held.range));
      }
      if (held.state == Holding.State.FAILED && same && held.has(layer)) {
        return "%s could not be loaded: %s".formatted(Phrase.layers(held.range), held.problem);
      }
      if (held.isNamesake(sha256, model)) {
        return held.otherFile(sha256);
      }
    }
    Range rest = new Range(layer, to);
    return "%s of model %s (hash %s) %s not here"
        .formatted(Phrase.layers(rest), model, Held.digits(sha256), Phrase.are(rest));
  }
}
