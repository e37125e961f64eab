package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.config.RopeConfig;
import dev.millrace.engine.internal.math.Rope;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.tensor.ComputePool;
import org.jspecify.annotations.Nullable;

/**
 * The rotations of a segment's layers: none, one for all layers, or a second one for layers with a
 * sliding window.
 */
public final class LayerRopes {
  private final ComputePool pool;
  private final @Nullable Rope usual;
  private final @Nullable Rope windowed;
  private final ComputePool.ParallelLoop section = this::prepareRow;
  private int[] position = {}; // (row)

  /**
   * @param factors by which frequencies are divided; null: none
   */
  LayerRopes(RopeConfig config, float @Nullable [] factors, int maxRows, ComputePool pool) {
    this.pool = pool;
    this.usual =
        config.dimensions() == 0 ? null : new Rope(config.settings(false, factors), maxRows);
    boolean same =
        config.windowedBase() == config.base() && config.windowedScale() == config.scale();
    this.windowed =
        usual == null || same ? usual : new Rope(config.settings(true, factors), maxRows);
  }

  public @Nullable Rope of(boolean isWindowed) {
    return isWindowed ? windowed : usual;
  }

  /** Call it once per batch, before the first layer. */
  public void prepare(Batch batch) {
    if (usual != null) {
      position = batch.position;
      pool.run(batch.rows, section);
    }
  }

  private void prepareRow(int row, int worker) {
    assert usual != null && windowed != null;
    usual.prepareRow(row, position[row]);
    if (windowed != usual) {
      windowed.prepareRow(row, position[row]);
    }
  }
}
