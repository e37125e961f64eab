package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.layers.LayerMemoryBudget;
import dev.millrace.cluster.internal.layers.LayerText;
import dev.millrace.cluster.internal.layers.LoadedLayers;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.engine.NumericsVersion;
import dev.millrace.engine.internal.pipe.Pipe;
import java.util.stream.Collectors;

/** What an opening must keep to, whatever this node holds. */
final class OpenRequestLimits {
  static final int MOST_ROWS = 4096;
  static final int MOST_PAGES = 1 << 20;
  static final int MOST_IN_FLIGHT = 64;
  private static final int MOST_CONTEXT = 1 << 24;

  /** What the frames of a session may take while they wait. */
  private static final long MOST_WAITING = 1L << 30;

  private OpenRequestLimits() {}

  /**
   * @throws ClusterException where it does not keep to them, with the reason
   */
  static void check(String node, String from, OpenSessionRequest opening) {
    Pipe pipe = opening.pipe();
    SessionParameters parameters = opening.parameters();
    if (parameters.numerics() != NumericsVersion.CURRENT) {
      throw new ClusterException(
          "the origin computes by version %d of the arithmetic, this node by %d: run the same release"
              .formatted(parameters.numerics(), NumericsVersion.CURRENT));
    }
    if (!pipe.origin().equals(from)) {
      throw new ClusterException(
          "a session of origin %s is opened by it alone, not by %s".formatted(pipe.origin(), from));
    }
    if (pipe.origin().equals(node)) {
      throw new ClusterException("node %s is no origin".formatted(node));
    }
    if (!pipe.isComplete()) {
      throw new ClusterException("the plan has gaps: fill them before it is opened");
    }
    if (ranges(node, pipe).isEmpty()) {
      throw new ClusterException("the plan has no layers at this node");
    }
    SessionParameters.BatchShape batch = parameters.batch();
    requireWithin("maxRows", batch.maxRows(), MOST_ROWS);
    requireWithin("maxRuns", batch.maxRuns(), batch.maxRows());
    requireWithin("inFlight", batch.inFlight(), MOST_IN_FLIGHT);
    requireWithin("pages", parameters.cache().pages(), MOST_PAGES);
    requireWithin("context", parameters.cache().context(), MOST_CONTEXT);
  }

  /** And what depends on the model. */
  static void checkModel(OpenSessionRequest opening, LoadedLayers weights) {
    if (opening.pipe().layers() != weights.layers()) {
      throw new ClusterException(
          "the plan is for %d layers, model %s has %d"
              .formatted(opening.pipe().layers(), opening.parameters().model(), weights.layers()));
    }
    SessionParameters.BatchShape batch = opening.parameters().batch();
    long waiting = 4L * batch.maxRows() * weights.width() * batch.inFlight();
    if (waiting > MOST_WAITING) {
      throw new ClusterException(
          "%d steps of %d rows under way would take %s, at most %s may wait: use fewer or smaller ones"
              .formatted(
                  batch.inFlight(),
                  batch.maxRows(),
                  LayerMemoryBudget.humanBytes(waiting),
                  LayerMemoryBudget.humanBytes(MOST_WAITING)));
    }
  }

  /** This node's part of a plan, as people write it. */
  static String ranges(String node, Pipe pipe) {
    return pipe.nodeLayers().stream()
        .filter(stretch -> stretch.node().equals(node))
        .map(stretch -> LayerText.describe(new LayerRange(stretch.from(), stretch.to())))
        .collect(Collectors.joining(", "));
  }

  private static void requireWithin(String field, int value, int most) {
    if (value < 1 || value > most) {
      throw new ClusterException("%s is %d; it must be 1 to %d".formatted(field, value, most));
    }
  }
}
