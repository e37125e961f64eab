package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.layers.LayerCoverage;
import dev.millrace.cluster.internal.layers.LayerInventory;
import dev.millrace.cluster.internal.layers.LayerMemoryBudget;
import dev.millrace.cluster.internal.layers.LoadedLayers;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.pipe.Pipe;
import java.util.ArrayList;
import java.util.List;

/** Finds layers and memory for a session, and makes it. Owned by the compute thread. */
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
   * A session with its layers and memory, which {@link NodeSessions} releases later.
   *
   * @throws ClusterException if layers or memory are missing
   */
  NodeSession admit(long id, OpenSessionRequest request) {
    LoadSettings settings = settings(request);
    List<LayerCoverage.Piece> pieces = pieces(request);
    long bytes = 0;
    for (LayerCoverage.Piece piece : pieces) {
      LoadedLayers weights = weights(piece);
      OpenRequestLimits.checkModel(request, weights);
      bytes = Math.addExact(bytes, weights.cacheBytes(piece.to() - piece.from(), settings));
    }
    inventory.makeRoom(bytes, pieces.stream().map(LayerCoverage.Piece::held).toList());
    String refusal =
        budget.refusal(
            request.parameters().cache().pages() + " pages for keys and values need", bytes);
    if (refusal != null) {
      throw new ClusterException(
          "%s; start node %s with a larger --memory, or the server with fewer --slots or less --ctx"
              .formatted(refusal, context.node()));
    }
    NodeSession session = open(id, request, pieces, bytes);
    budget.reserve(bytes);
    session.parts().forEach(part -> part.held().users++);
    return session;
  }

  private List<LayerCoverage.Piece> pieces(OpenSessionRequest request) {
    SessionParameters parameters = request.parameters();
    List<LayerCoverage.Piece> pieces = new ArrayList<>();
    for (Pipe.NodeLayers stretch : request.pipe().nodeLayers()) {
      if (stretch.node().equals(context.node())) {
        pieces.addAll(
            inventory.cover(parameters.sha256(), parameters.model(), stretch.from(), stretch.to()));
      }
    }
    return pieces;
  }

  private static LoadedLayers weights(LayerCoverage.Piece piece) {
    LoadedLayers weights = piece.held().weights;
    if (weights == null) {
      throw new IllegalStateException(
          "layers " + piece.held().range + " are loaded, but have no weights");
    }
    return weights;
  }

  /** Threads and kernels were chosen when the weights were loaded. */
  private static LoadSettings settings(OpenSessionRequest request) {
    SessionParameters.CacheShape cache = request.parameters().cache();
    SessionParameters.BatchShape batch = request.parameters().batch();
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
      long id, OpenSessionRequest request, List<LayerCoverage.Piece> pieces, long bytes) {
    LoadSettings settings = settings(request);
    List<NodeSession.Part> parts = new ArrayList<>();
    try {
      for (LayerCoverage.Piece piece : pieces) {
        LoadedLayers.OpenLayers opened = weights(piece).open(piece.from(), piece.to(), settings);
        parts.add(new NodeSession.Part(piece.held(), opened));
      }
      return new NodeSession(context, id, request, parts, bytes);
    } catch (Throwable e) {
      parts.forEach(part -> part.cut().close());
      throw e;
    }
  }
}
