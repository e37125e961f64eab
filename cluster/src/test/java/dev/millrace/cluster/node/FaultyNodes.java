package dev.millrace.cluster.node;

import dev.millrace.cluster.NodeSettings;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.member.JoinedNetwork;
import dev.millrace.engine.internal.pipe.Batch;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** Nodes that lie, are slow, or die without a message; for tests of other packages too. */
public final class FaultyNodes {
  private FaultyNodes() {}

  /** A node that changes the output of each of its segments. */
  public static LayerNode start(NodeSettings settings, Consumer<Batch> after) {
    return LayerNode.start(settings, segment -> new HookedSegment(segment, () -> {}, after));
  }

  /** Closes all connections of a node; it makes no new ones. */
  public static void kill(LayerNode node) {
    ((JoinedNetwork) get(node, "network")).connections().close();
  }

  /** Lets a node send other messages than it would; call it before the node has a session. */
  public static void forgeMessages(
      LayerNode node, BiFunction<String, NodeMessage, List<NodeMessage>> forger) {
    Object sessions = get(node, "sessions");
    Object admission = get(sessions, "admission");
    NodeSessionContext context = (NodeSessionContext) get(admission, "context");
    NodeLinks links = context.links();
    NodeLinks forged =
        new NodeLinks() {
          @Override
          public void sendSoon(String to, NodeMessage message) {
            forger.apply(to, message).forEach(each -> links.sendSoon(to, each));
          }

          @Override
          public void sendFrame(String to, NodeMessage frame) {
            forger.apply(to, frame).forEach(each -> links.sendFrame(to, each));
          }

          @Override
          public void connect(Collection<String> nodes, Consumer<Optional<Unreachable>> made) {
            links.connect(nodes, made);
          }
        };
    set(admission, "context", context.withLinks(forged));
  }

  /** Sends something from a node, as itself. */
  public static void send(LayerNode node, String to, NodeMessage message) {
    ((JoinedNetwork) get(node, "network")).connections().send(to, message);
  }

  private static Object get(Object of, String name) {
    try {
      Field field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void set(Object of, String name, Object value) {
    try {
      Field field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      field.set(of, value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
