package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.place.Range;
import dev.millrace.engine.Numerics;
import dev.millrace.engine.pipe.Pipe;
import java.util.stream.Collectors;

/** What an opening must keep to, whatever this node holds. */
final class Terms {
  static final int MOST_ROWS = 4096;
  static final int MOST_PAGES = 1 << 20;
  static final int MOST_IN_FLIGHT = 64;
  private static final int MOST_CONTEXT = 1 << 24;

  /** What the frames of a session may take while they wait. */
  private static final long MOST_WAITING = 1L << 30;

  private Terms() {}

  /**
   * @throws ClusterException where it does not keep to them, with the reason
   */
  static void check(String node, String from, Opening opening) {
    Pipe pipe = opening.pipe();
    if (opening.numerics() != Numerics.VERSION) {
      throw new ClusterException(
          "the origin computes by version %d of the arithmetic, this node by %d: run the same release"
              .formatted(opening.numerics(), Numerics.VERSION));
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
    within("maxRows", opening.maxRows(), MOST_ROWS);
    within("maxRuns", opening.maxRuns(), opening.maxRows());
    within("inFlight", opening.inFlight(), MOST_IN_FLIGHT);
    within("pages", opening.pages(), MOST_PAGES);
    within("context", opening.context(), MOST_CONTEXT);
  }

  /** And what depends on the model. */
  static void checkModel(Opening opening, Weights weights) {
    if (opening.pipe().layers() != weights.layers()) {
      throw new ClusterException(
          "the plan is for %d layers, model %s has %d"
              .formatted(opening.pipe().layers(), opening.model(), weights.layers()));
    }
    long waiting = 4L * opening.maxRows() * weights.width() * opening.inFlight();
    if (waiting > MOST_WAITING) {
      throw new ClusterException(
          "%d steps of %d rows under way would take %s, at most %s may wait: use fewer or smaller ones"
              .formatted(
                  opening.inFlight(),
                  opening.maxRows(),
                  Budget.text(waiting),
                  Budget.text(MOST_WAITING)));
    }
  }

  /** This node's part of a plan, as people write it. */
  static String ranges(String node, Pipe pipe) {
    return pipe.stretches().stream()
        .filter(stretch -> stretch.node().equals(node))
        .map(stretch -> Phrase.layers(new Range(stretch.from(), stretch.to())))
        .collect(Collectors.joining(", "));
  }

  private static void within(String field, int value, int most) {
    if (value < 1 || value > most) {
      throw new ClusterException("%s is %d; it must be 1 to %d".formatted(field, value, most));
    }
  }
}
