package dev.millrace.engine.model;

import dev.millrace.engine.math.Arithmetic;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.tensor.Activations;
import dev.millrace.engine.tensor.Crew;
import dev.millrace.engine.tensor.Matrix;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A gated network per expert. Rows are gathered by expert, so that each expert's weights are read
 * once for all of its rows; what the experts give is added to a row in the order of their rank,
 * whatever else is in the batch.
 */
final class ExpertFeedForward implements Block {
  private static final int PARTS_PER_THREAD = 4;

  /** What all networks of a segment share. */
  static final class Shared {
    final Crew crew;
    final Arithmetic arithmetic;
    final Buffers buffers;
    final Activation activation;
    final Routing routing;
    final int used;
    final Activations gathered; // (visit, width)
    final Activations inner; // (visit, inner)
    final float[] up; // (visit, inner)
    final float[] down; // (visit, width)

    Shared(
        Crew crew,
        Arithmetic arithmetic,
        Buffers buffers,
        ModelConfig config,
        int maxRows,
        boolean integers) {
      FeedForwardConfig network = config.feedForward();
      int visits = Math.multiplyExact(maxRows, network.expertsUsed());
      this.crew = crew;
      this.arithmetic = arithmetic;
      this.buffers = buffers;
      this.activation = new Activation(arithmetic, config.has(Trait.GELU));
      this.routing = new Routing(arithmetic, network, maxRows);
      this.used = network.expertsUsed();
      this.gathered = new Activations(config.width(), visits, integers);
      this.inner = new Activations(network.width(), visits, integers);
      this.up = new float[Math.multiplyExact(visits, network.width())];
      this.down = new float[Math.multiplyExact(visits, config.width())];
    }
  }

  private final Shared shared;
  private final LayerWeights.Experts weights;
  private final Product router;
  private final Crew.Section choose = this::choose;
  private final Crew.Section gather = this::gather;
  private final Crew.Section enter = this::enter;
  private final Crew.Section activate = this::activate;
  private final Crew.Section leave = this::leave;
  private final Crew.Section combine = this::combine;
  private int pieces; // into which each active expert's matrices are cut

  ExpertFeedForward(Shared shared, LayerWeights.Experts weights) {
    this.shared = shared;
    this.weights = weights;
    this.router =
        new Product(
            shared.crew,
            shared.buffers.input,
            new Product.Factor(weights.router(), shared.routing.scores));
  }

  @Override
  public void forward(Batch batch) {
    Crew crew = shared.crew;
    Routing routing = shared.routing;
    router.run(batch.rows);
    crew.run(batch.rows, choose);
    routing.group(batch.rows);
    pieces = Math.ceilDiv(crew.threads() * PARTS_PER_THREAD, routing.activeCount);
    crew.run(routing.visits, gather);
    crew.run(routing.activeCount * pieces, enter);
    crew.run(routing.visits, activate);
    crew.run(routing.activeCount * pieces, leave);
    crew.run(batch.rows, combine);
  }

  @Override
  public float @Nullable [] bias() {
    return null;
  }

  private void choose(int row, int worker) {
    shared.routing.choose(row);
  }

  private void gather(int visit, int worker) {
    int width = shared.gathered.columns;
    int row = shared.routing.rowOf[visit];
    System.arraycopy(
        shared.buffers.input.values, row * width, shared.gathered.values, visit * width, width);
    shared.gathered.ready(visit);
  }

  private void enter(int part, int worker) {
    int expert = shared.routing.active[part / pieces];
    multiply(
        weights.gate()[expert],
        expert,
        part % pieces,
        shared.gathered,
        shared.inner.values,
        worker);
    multiply(weights.up()[expert], expert, part % pieces, shared.gathered, shared.up, worker);
  }

  private void activate(int visit, int worker) {
    int n = shared.inner.columns;
    shared.activation.gated(shared.inner.values, visit * n, shared.up, visit * n, n);
    shared.inner.ready(visit);
  }

  private void leave(int part, int worker) {
    int expert = shared.routing.active[part / pieces];
    multiply(weights.down()[expert], expert, part % pieces, shared.inner, shared.down, worker);
  }

  /** Multiplies one piece of an expert's matrix with all visits to it. */
  private void multiply(
      Matrix matrix, int expert, int piece, Activations x, float[] out, int worker) {
    int step = matrix.rowStep();
    int length = Math.ceilDiv(Math.ceilDiv(matrix.rows(), step), pieces) * step;
    int from = Math.min(matrix.rows(), piece * length);
    int to = Math.min(matrix.rows(), from + length);
    int first = shared.routing.first[expert];
    int count = shared.routing.first[expert + 1] - first;
    if (from < to) {
      matrix.multiply(from, to, x, first, count, out, first, matrix.rows(), 0, worker);
    }
  }

  private void combine(int row, int worker) {
    int width = shared.gathered.columns;
    Routing routing = shared.routing;
    float[] update = shared.buffers.update;
    Arrays.fill(update, row * width, (row + 1) * width, 0f);
    for (int i = row * shared.used; i < (row + 1) * shared.used; i++) {
      shared.arithmetic.addScaled(
          update, row * width, shared.down, routing.visit[i] * width, routing.weight[i], width);
    }
  }
}
