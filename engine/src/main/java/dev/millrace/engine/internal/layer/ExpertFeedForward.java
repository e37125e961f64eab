package dev.millrace.engine.internal.layer;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.config.ArchitectureTrait;
import dev.millrace.engine.internal.config.FeedForwardConfig;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.Matrix;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A mixture of experts, each a gated network. Rows are grouped by expert, so that each expert's
 * weights are read once for all of its rows. The experts' results are added to a row in the order
 * of their rank, whatever else is in the batch.
 */
final class ExpertFeedForward implements LayerBlock {
  private static final int PARTS_PER_THREAD = 4;

  /** What all networks of a segment share. */
  static final class Shared {
    final ComputePool pool;
    final Arithmetic arithmetic;
    final LayerBuffers buffers;
    final ActivationFunction activation;
    final ExpertRouting routing;
    final int used;
    final Activations gathered; // (visit, width)
    final Activations inner; // (visit, inner)
    final float[] up; // (visit, inner)
    final float[] down; // (visit, width)

    Shared(
        ComputePool pool,
        Arithmetic arithmetic,
        LayerBuffers buffers,
        ModelConfig config,
        int maxRows,
        boolean integers,
        KernelType kernels) {
      FeedForwardConfig network = config.feedForward();
      int visits = Math.multiplyExact(maxRows, network.expertsUsed());
      this.pool = pool;
      this.arithmetic = arithmetic;
      this.buffers = buffers;
      this.activation = new ActivationFunction(arithmetic, config.has(ArchitectureTrait.GELU));
      this.routing = new ExpertRouting(arithmetic, network, maxRows);
      this.used = network.expertsUsed();
      this.gathered = new Activations(config.width(), visits, integers, kernels);
      this.inner = new Activations(network.width(), visits, integers, kernels);
      this.up = new float[Math.multiplyExact(visits, network.width())];
      this.down = new float[Math.multiplyExact(visits, config.width())];
    }
  }

  private final Shared shared;
  private final LayerWeights.Experts weights;
  private final MatMul router;
  private final ComputePool.ParallelLoop choose = this::choose;
  private final ComputePool.ParallelLoop gather = this::gather;
  private final ComputePool.ParallelLoop enter = this::enter;
  private final ComputePool.ParallelLoop activate = this::activate;
  private final ComputePool.ParallelLoop leave = this::leave;
  private final ComputePool.ParallelLoop combine = this::combine;
  private int pieces; // into which each active expert's matrices are cut

  ExpertFeedForward(Shared shared, LayerWeights.Experts weights) {
    this.shared = shared;
    this.weights = weights;
    this.router =
        new MatMul(
            shared.pool,
            shared.buffers.input,
            new MatMul.Factor(weights.router(), shared.routing.scores));
  }

  @Override
  public void forward(Batch batch) {
    ComputePool pool = shared.pool;
    ExpertRouting routing = shared.routing;
    router.run(batch.rows);
    pool.run(batch.rows, choose);
    routing.group(batch.rows);
    pieces = Math.ceilDiv(pool.threads() * PARTS_PER_THREAD, routing.activeCount);
    pool.run(routing.visits, gather);
    pool.run(routing.activeCount * pieces, enter);
    pool.run(routing.visits, activate);
    pool.run(routing.activeCount * pieces, leave);
    pool.run(batch.rows, combine);
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
    shared.gathered.prepareRow(visit);
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
    shared.inner.prepareRow(visit);
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
    ExpertRouting routing = shared.routing;
    float[] update = shared.buffers.update;
    Arrays.fill(update, row * width, (row + 1) * width, 0f);
    for (int i = row * shared.used; i < (row + 1) * shared.used; i++) {
      shared.arithmetic.addScaled(
          update, row * width, shared.down, routing.visit[i] * width, routing.weight[i], width);
    }
  }
}
