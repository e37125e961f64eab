package dev.millrace.cluster.node;

import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.pipe.Segment;
import java.lang.reflect.Field;
import java.util.function.Consumer;

/** For tests of other packages: nodes that lie, are slow, or die without a word. */
public final class Spoiled {
  private Spoiled() {}

  /** A node that has this done to what each of its segments computed. */
  public static LayerNode start(NodeSettings settings, Consumer<Batch> after) {
    return LayerNode.start(settings, segment -> new After(segment, after));
  }

  /** All connections of a node break off, and no new ones are made. */
  public static void kill(LayerNode node) {
    try {
      Field network = LayerNode.class.getDeclaredField("network");
      network.setAccessible(true);
      ((dev.millrace.cluster.member.Network) network.get(node)).switchboard().close();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private record After(Segment segment, Consumer<Batch> after) implements Segment {
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
      segment.forward(batch);
      after.accept(batch);
    }
  }
}
