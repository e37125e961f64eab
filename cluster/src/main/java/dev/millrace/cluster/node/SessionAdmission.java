package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.layers.LayerInventory;
import dev.millrace.cluster.internal.layers.LayerLookup;
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
  private final NodeSessionContext context;
  private final LayerMemoryBudget budget;
  private final LayerInventory inventory;

  SessionAdmission(NodeSessionContext context, LayerMemoryBudget budget, LayerInventory inventory) {
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
    List<LayerLookup.Piece> pieces = pieces(request);
    long bytes = 0;
    for (LayerLookup.Piece piece : pieces) {
      LoadedLayers weights = weights(piece);
      OpenRequestLimits.checkModel(request, weights);
      bytes = Math.addExact(bytes, weights.cacheBytes(piece.to() - piece.from(), settings));
    }
    inventory.makeRoom(bytes, pieces.stream().map(LayerLookup.Piece::held).toList());
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

  private List<LayerLookup.Piece> pieces(OpenSessionRequest request) {
    SessionParameters parameters = request.parameters();
    List<LayerLookup.Piece> pieces = new ArrayList<>();
    for (Pipe.NodeLayers stretch : request.pipe().nodeLayers()) {
      if (stretch.node().equals(context.node())) {
        pieces.addAll(
            inventory.cover(parameters.sha256(), parameters.model(), stretch.from(), stretch.to()));
      }
    }
    return pieces;
  }

  private static LoadedLayers weights(LayerLookup.Piece piece) {
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
      long id, OpenSessionRequest request, List<LayerLookup.Piece> pieces, long bytes) {
    LoadSettings settings = settings(request);
    List<NodeSession.Part> parts = new ArrayList<>();
    try {
      for (LayerLookup.Piece piece : pieces) {
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
