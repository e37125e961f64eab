package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.layers.LayerMemoryBudget;
import dev.millrace.cluster.internal.layers.LoadedLayers;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks requests to open a session against fixed limits. */
final class OpenRequestLimits {
  static final int MAX_ROWS = 4096;
  static final int MAX_PAGES = 1 << 20;
  static final int MAX_IN_FLIGHT = 64;
  private static final int MAX_CONTEXT = 1 << 24;

  /** Memory of a session's waiting frames. */
  private static final long MAX_WAITING_BYTES = 1L << 30;

  private OpenRequestLimits() {}

  /**
   * @throws ClusterException if a limit is exceeded, with the reason
   */
  static void check(String node, String from, OpenSessionRequest request) {
    Pipe pipe = request.pipe();
    SessionParameters parameters = request.parameters();
    requireNumerics(parameters, Set.of());
    if (!pipe.origin().equals(from)) {
      throw new ClusterException(
          "only origin %s itself may open its session, not %s".formatted(pipe.origin(), from));
    }
    if (pipe.origin().equals(node)) {
      throw new ClusterException("node %s is not an origin".formatted(node));
    }
    if (!pipe.isComplete()) {
      throw new ClusterException("the plan has gaps: fill them before it is opened");
    }
    if (ranges(node, pipe).isEmpty()) {
      throw new ClusterException("the plan has no layers at this node");
    }
    SessionParameters.BatchShape batch = parameters.batch();
    requireWithin("maxRows", batch.maxRows(), MAX_ROWS);
    requireWithin("maxRuns", batch.maxRuns(), batch.maxRows());
    requireWithin("inFlight", batch.inFlight(), MAX_IN_FLIGHT);
    requireWithin("pages", parameters.cache().pages(), MAX_PAGES);
    requireWithin("context", parameters.cache().context(), MAX_CONTEXT);
  }

  /** Of the formats of weights, only those of this node's layers matter. */
  private static void requireNumerics(SessionParameters parameters, Set<String> formats) {
    SupportedNumerics.CURRENT
        .missing(parameters.numerics(), formats)
        .ifPresent(
            missing -> {
              throw new ClusterException(
                  "the origin uses version %d of %s, this node has %s: run the same release"
                      .formatted(missing.wanted(), missing.what(), missing.supported()));
            });
  }

  /** Checks what depends on the model. */
  static void checkModel(OpenSessionRequest request, LoadedLayers weights) {
    requireNumerics(request.parameters(), weights.formats());
    if (request.pipe().layers() != weights.layers()) {
      throw new ClusterException(
          "the plan is for %d layers, model %s has %d"
              .formatted(request.pipe().layers(), request.parameters().model(), weights.layers()));
    }
    SessionParameters.BatchShape batch = request.parameters().batch();
    long waiting = 4L * batch.maxRows() * weights.width() * batch.inFlight();
    if (waiting > MAX_WAITING_BYTES) {
      throw new ClusterException(
          "%d steps of %d rows in flight would take %s, where %s is the limit: use fewer or smaller steps"
              .formatted(
                  batch.inFlight(),
                  batch.maxRows(),
                  LayerMemoryBudget.humanBytes(waiting),
                  LayerMemoryBudget.humanBytes(MAX_WAITING_BYTES)));
    }
  }

  /** This node's layers in a plan, as people read them. */
  static String ranges(String node, Pipe pipe) {
    return pipe.nodeLayers().stream()
        .filter(stretch -> stretch.node().equals(node))
        .map(stretch -> new LayerRange(stretch.from(), stretch.to()).describe())
        .collect(Collectors.joining(", "));
  }

  private static void requireWithin(String field, int value, int max) {
    if (value < 1 || value > max) {
      throw new ClusterException("%s is %d; it must be 1 to %d".formatted(field, value, max));
    }
  }
}
