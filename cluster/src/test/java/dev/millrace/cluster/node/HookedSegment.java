package dev.millrace.cluster.node;

import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.Segment;
import java.util.function.Consumer;

/** A segment with actions before and after each computation. */
record HookedSegment(Segment segment, Runnable before, Consumer<Batch> after) implements Segment {
  @Override
  public int from() {
    return segment.from();
  }

  @Override
  public int to() {
    return segment.to();
  }

  @Override
  public int pages() {
    return segment.pages();
  }

  @Override
  public void forward(Batch batch) {
    before.run();
    segment.forward(batch);
    after.accept(batch);
  }
}
