package dev.millrace.cluster.internal.layers;

import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.FakeModel;
import dev.millrace.engine.internal.pipe.Segment;
import java.util.Set;

/** Layers of the fake model, which count what is open on them. */
public final class FakeLoadedLayers implements LoadedLayers {
  public static final FakeModel MODEL = new FakeModel(4);
  public static final int LAYER = 100; // bytes
  public static final int PAGE = 10; // bytes of a layer

  private final int from;
  private final int to;
  public Set<String> formats = Set.of("q4_0");
  public int open;
  public int opened;
  public boolean closed;
  Runnable before = () -> {}; // done before each step

  FakeLoadedLayers(int from, int to) {
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
  public Set<String> formats() {
    return formats;
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
  public OpenLayers open(int first, int end, LoadSettings settings) {
    if (closed || first < from || end > to) {
      throw new IllegalStateException("not here");
    }
    Segment segment = MODEL.segment(settings.pages(), first, end);
    open++;
    opened++;
    return new OpenLayers() {
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
