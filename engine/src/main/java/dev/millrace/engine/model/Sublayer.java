package dev.millrace.engine.model;

import dev.millrace.engine.math.Arithmetic;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.tensor.Crew;

/** A block with its norms and the addition of what it gives to the rows. */
final class Sublayer {
  private final Crew crew;
  private final Arithmetic arithmetic;
  private final Buffers buffers;
  private final LayerWeights.AroundBlock norms;
  private final Block block;
  private final Crew.Section enter = this::enter;
  private final Crew.Section leave = this::leave;
  private float[] hidden = {}; // (row, width)

  Sublayer(Workplace workplace, LayerWeights.AroundBlock norms, Block block) {
    this.crew = workplace.crew;
    this.arithmetic = workplace.arithmetic;
    this.buffers = workplace.buffers;
    this.norms = norms;
    this.block = block;
  }

  void forward(Batch batch) {
    hidden = batch.hidden;
    crew.run(batch.rows, enter);
    block.forward(batch);
    crew.run(batch.rows, leave);
  }

  private void enter(int row, int worker) {
    int width = buffers.input.columns;
    if (norms.before() == null) {
      System.arraycopy(hidden, row * width, buffers.input.values, row * width, width);
    } else {
      norms.before().apply(hidden, row * width, buffers.input.values, row * width);
    }
    buffers.input.ready(row);
  }

  private void leave(int row, int worker) {
    int width = buffers.input.columns;
    float[] bias = block.bias();
    if (bias != null) {
      arithmetic.add(buffers.update, row * width, bias, 0, width);
    }
    if (norms.onUpdate() != null) {
      norms.onUpdate().apply(buffers.update, row * width, buffers.update, row * width);
    }
    arithmetic.add(hidden, row * width, buffers.update, row * width, width);
    if (norms.after() != null) {
      norms.after().apply(hidden, row * width, hidden, row * width);
    }
  }
}
