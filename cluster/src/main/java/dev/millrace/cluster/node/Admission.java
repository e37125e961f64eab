package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Opening;
import dev.millrace.engine.model.LoadSettings;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.Segment;
import dev.millrace.engine.tensor.Kernels;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Finds layers and memory for a session, and makes it. Belongs to the thread that computes. */
final class Admission {
  private final String node;
  private final Budget budget;
  private final Stock stock;
  private final Inbox inbox;
  private final Roads roads;
  private final UnaryOperator<Segment> hook;

  Admission(
      String node,
      Budget budget,
      Stock stock,
      Inbox inbox,
      Roads roads,
      UnaryOperator<Segment> hook) {
    this.node = node;
    this.budget = budget;
    this.stock = stock;
    this.inbox = inbox;
    this.roads = roads;
    this.hook = hook;
  }

  /**
   * A session that has its layers and memory, until {@link Sessions} gives them back.
   *
   * @throws ClusterException where there are none, or none left
   */
  Session admit(long id, Opening opening) {
    LoadSettings settings = settings(opening);
    List<Coverage.Piece> pieces = pieces(opening);
    long bytes = 0;
    for (Coverage.Piece piece : pieces) {
      Weights weights = weights(piece);
      Terms.checkModel(opening, weights);
      bytes = Math.addExact(bytes, weights.cacheBytes(piece.to() - piece.from(), settings));
    }
    stock.makeRoom(bytes, pieces.stream().map(Coverage.Piece::held).toList());
    String refusal = budget.refusal(opening.pages() + " pages for keys and values need", bytes);
    if (refusal != null) {
      throw new ClusterException(
          "%s; start node %s with a larger --memory, or the server with fewer --slots or less --ctx"
              .formatted(refusal, node));
    }
    Session session = open(id, opening, pieces, bytes);
    budget.take(bytes);
    session.parts().forEach(part -> part.held().users++);
    return session;
  }

  private List<Coverage.Piece> pieces(Opening opening) {
    List<Coverage.Piece> pieces = new ArrayList<>();
    for (Pipe.Stretch stretch : opening.pipe().stretches()) {
      if (stretch.node().equals(node)) {
        pieces.addAll(stock.cover(opening.sha256(), opening.model(), stretch.from(), stretch.to()));
      }
    }
    return pieces;
  }

  private static Weights weights(Coverage.Piece piece) {
    Weights weights = piece.held().weights;
    if (weights == null) {
      throw new IllegalStateException("layers " + piece.held().range + " are loaded, and not here");
    }
    return weights;
  }

  /** Who computes, and by which kernels, was decided when the weights were loaded. */
  private static LoadSettings settings(Opening opening) {
    return new LoadSettings(
        1,
        Kernels.best(),
        opening.kvType(),
        opening.context(),
        opening.pages(),
        opening.maxRows(),
        opening.maxRuns());
  }

  private Session open(long id, Opening opening, List<Coverage.Piece> pieces, long bytes) {
    LoadSettings settings = settings(opening);
    List<Session.Part> parts = new ArrayList<>();
    try {
      for (Coverage.Piece piece : pieces) {
        Weights.Cut cut = weights(piece).open(piece.from(), piece.to(), settings);
        parts.add(new Session.Part(piece.held(), cut));
      }
      Inbox.Lane lane = inbox.lane(opening.inFlight());
      return new Session(node, id, opening, parts, bytes, lane, roads, hook);
    } catch (Throwable e) {
      parts.forEach(part -> part.cut().close());
      throw e;
    }
  }
}
