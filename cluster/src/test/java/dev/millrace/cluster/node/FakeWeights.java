package dev.millrace.cluster.node;

import dev.millrace.engine.model.LoadSettings;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.pipe.FakeModel;
import dev.millrace.engine.pipe.Segment;

/** Layers of the fake model, which count what is open on them. */
final class FakeWeights implements Weights {
  static final FakeModel MODEL = new FakeModel(4);
  static final int LAYER = 100; // bytes
  static final int PAGE = 10; // bytes of a layer

  private final int from;
  private final int to;
  int open;
  int opened;
  boolean closed;
  Runnable before = () -> {}; // done before each step

  FakeWeights(int from, int to) {
    this.from = from;
    this.to = to;
  }

  @Override
  public int layers() {
    return MODEL.layers();
  }

  @Override
  public int from() {
    return from;
  }

  @Override
  public int to() {
    return to;
  }

  @Override
  public long bytes() {
    return (long) LAYER * (to - from);
  }

  @Override
  public long cacheBytes(int layers, LoadSettings settings) {
    return (long) PAGE * layers * settings.pages();
  }

  @Override
  public int width() {
    return MODEL.end().width();
  }

  @Override
  public Cut open(int first, int end, LoadSettings settings) {
    if (closed || first < from || end > to) {
      throw new IllegalStateException("not here");
    }
    Segment segment = MODEL.segment(settings.pages(), first, end);
    open++;
    opened++;
    return new Cut() {
      private boolean over;

      @Override
      public int from() {
        return first;
      }

      @Override
      public int to() {
        return end;
      }

      @Override
      public int pages() {
        return settings.pages();
      }

      @Override
      public void forward(Batch batch) {
        if (over || closed) {
          throw new IllegalStateException("closed");
        }
        before.run();
        segment.forward(batch);
      }

      @Override
      public void close() {
        open -= over ? 0 : 1;
        over = true;
      }
    };
  }

  @Override
  public void close() {
    closed = true;
  }
}
