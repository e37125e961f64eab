package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.layers.LayerCoverage;
import dev.millrace.cluster.internal.layers.LayerInventory;
import dev.millrace.cluster.internal.layers.LayerMemoryBudget;
import dev.millrace.cluster.internal.layers.LoadedLayers;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.pipe.Pipe;
import java.util.ArrayList;
import java.util.List;

/** Finds layers and memory for a session, and makes it. Belongs to the thread that computes. */
final class SessionAdmission {
  private final NodeContext context;
  private final LayerMemoryBudget budget;
  private final LayerInventory inventory;

  SessionAdmission(NodeContext context, LayerMemoryBudget budget, LayerInventory inventory) {
    this.context = context;
    this.budget = budget;
    this.inventory = inventory;
  }

  /**
   * A session that has its layers and memory, until {@link NodeSessions} gives them back.
   *
   * @throws ClusterException where there are none, or none left
   */
  NodeSession admit(long id, OpenSessionRequest opening) {
    LoadSettings settings = settings(opening);
    List<LayerCoverage.Piece> pieces = pieces(opening);
    long bytes = 0;
    for (LayerCoverage.Piece piece : pieces) {
      LoadedLayers weights = weights(piece);
      OpenRequestLimits.checkModel(opening, weights);
      bytes = Math.addExact(bytes, weights.cacheBytes(piece.to() - piece.from(), settings));
    }
    inventory.makeRoom(bytes, pieces.stream().map(LayerCoverage.Piece::held).toList());
    String refusal = budget.refusal(opening.parameters().cache().pages() + " pages for keys and values need", bytes);
    if (refusal != null) {
      throw new ClusterException(
          "%s; start node %s with a larger --memory, or the server with fewer --slots or less --ctx"
              .formatted(refusal, context.node()));
    }
    NodeSession session = open(id, opening, pieces, bytes);
    budget.reserve(bytes);
    session.parts().forEach(part -> part.held().users++);
    return session;
  }

  private List<LayerCoverage.Piece> pieces(OpenSessionRequest opening) {
    SessionParameters parameters = opening.parameters();
    List<LayerCoverage.Piece> pieces = new ArrayList<>();
    for (Pipe.NodeLayers stretch : opening.pipe().nodeLayers()) {
      if (stretch.node().equals(context.node())) {
        pieces.addAll(
            inventory.cover(
                parameters.sha256(), parameters.model(), stretch.from(), stretch.to()));
      }
    }
    return pieces;
  }

  private static LoadedLayers weights(LayerCoverage.Piece piece) {
    LoadedLayers weights = piece.held().weights;
    if (weights == null) {
      throw new IllegalStateException("layers " + piece.held().range + " are loaded, and not here");
    }
    return weights;
  }

  /** Who computes, and by which kernels, was decided when the weights were loaded. */
  private static LoadSettings settings(OpenSessionRequest opening) {
    SessionParameters.CacheShape cache = opening.parameters().cache();
    SessionParameters.BatchShape batch = opening.parameters().batch();
    return new LoadSettings(
        1,
        KernelType.best(),
        cache.kvType(),
        cache.context(),
        cache.pages(),
        batch.maxRows(),
        batch.maxRuns());
  }

  private NodeSession open(
      long id, OpenSessionRequest opening, List<LayerCoverage.Piece> pieces, long bytes) {
    LoadSettings settings = settings(opening);
    List<NodeSession.Part> parts = new ArrayList<>();
    try {
      for (LayerCoverage.Piece piece : pieces) {
        LoadedLayers.OpenLayers cut = weights(piece).open(piece.from(), piece.to(), settings);
        parts.add(new NodeSession.Part(piece.held(), cut));
      }
      return new NodeSession(context, id, opening, parts, bytes);
    } catch (Throwable e) {
      parts.forEach(part -> part.cut().close());
      throw e;
    }
  }
}
