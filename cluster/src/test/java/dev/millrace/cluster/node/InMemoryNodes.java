package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.NodeMemory;
import dev.millrace.cluster.internal.layers.ComputeQueue;
import dev.millrace.cluster.internal.layers.FakeLayerSource;
import dev.millrace.cluster.internal.layers.FakeLoadedLayers;
import dev.millrace.cluster.internal.layers.LayerEntry;
import dev.millrace.cluster.internal.layers.LayerInventory;
import dev.millrace.cluster.internal.layers.LayerMemoryBudget;
import dev.millrace.cluster.internal.link.MessageReceiver;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.LoadLayersRequest;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.internal.protocol.SessionParameters.BatchShape;
import dev.millrace.cluster.internal.protocol.SessionParameters.CacheShape;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.numerics.NumericsVersion;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Nodes and origins in one thread, without a network between them. */
final class InMemoryNodes {
  static final String SHA = "ab".repeat(32);
  static final String MODEL = "fake";

  /** The receiver of each name. */
  private final Map<String, MessageReceiver> receivers = new HashMap<>();

  private final List<Node> all = new ArrayList<>();
  final Set<String> unreachable = new HashSet<>();

  /** A node without its network. */
  final class Node implements NodeLinks {
    final String name;
    final ComputeQueue inbox = new ComputeQueue();
    final FakeLayerSource supply = new FakeLayerSource();
    final LayerMemoryBudget budget;
    final LayerInventory stock;
    final NodeSessions sessions;
    final NodeMessageHandler handler;
    final Queue<NodeMessage> undelivered = new ArrayDeque<>();
    final Queue<Runnable> dialing = new ArrayDeque<>();
    boolean dialsSlowly;
    long now; // nanoseconds; a millisecond passes whenever somebody looks

    Node(String name, long memory, int most, UnaryOperator<Segment> hook) {
      this.name = name;
      budget =
          new LayerMemoryBudget(
              memory == 0
                  ? NodeMemory.forConfiguredLayers(1 << 30)
                  : NodeMemory.forRequests(memory));
      stock = new LayerInventory(budget, supply, inbox, this::tick);
      sessions =
          new NodeSessions(
              new NodeSessionContext(name, this, inbox, this::tick, hook), most, budget, stock);
      handler = new NodeMessageHandler(inbox, stock, sessions);
      receivers.put(name, handler);
      all.add(this);
    }

    @Override
    public void sendSoon(String to, NodeMessage message) {
      try {
        send(name, to, message);
      } catch (ClusterException e) {
        undelivered.add(message);
      }
    }

    @Override
    public void sendFrame(String to, NodeMessage frame) {
      send(name, to, frame);
    }

    @Override
    public void connect(Collection<String> others, Consumer<Optional<Unreachable>> made) {
      Runnable dial =
          () ->
              made.accept(
                  others.stream()
                      .filter(unreachable::contains)
                      .map(other -> new Unreachable(other, "it is silent"))
                      .findFirst());
      if (dialsSlowly) {
        dialing.add(dial);
      } else {
        dial.run();
      }
    }

    private long tick() {
      return now += 1_000_000;
    }

    /** Has these layers from the start. */
    FakeLoadedLayers holds(int from, int to) {
      stock.load(
          LayerEntry.requested(
              SHA,
              MODEL,
              new LayerRange(from, to),
              1000,
              (long) FakeLoadedLayers.LAYER * (to - from)));
      FakeLoadedLayers weights = supply.load(supply.order.getLast());
      work();
      return weights;
    }

    boolean work() {
      boolean any = false;
      try {
        for (Runnable next; (next = inbox.take(0, TimeUnit.NANOSECONDS)) != null; any = true) {
          next.run();
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return any;
    }
  }

  /** Records the messages that come to a name. */
  static final class MessageRecorder implements MessageReceiver {
    record Received(String from, NodeMessage message) {}

    final Queue<Received> messages = new ArrayDeque<>();

    @Override
    public void received(String from, NodeMessage message) {
      messages.add(new Received(from, message));
    }

    @Override
    public void lost(String node, String why) {}

    /** The next message, which must be of this kind. */
    NodeMessage next(Kind kind) {
      Received next = messages.poll();
      if (next == null || next.message().kind() != kind) {
        throw new AssertionError(kind + " expected, not " + next + words(next));
      }
      return next.message();
    }

    private static String words(Received next) {
      return next != null && next.message().kind() == Kind.REFUSED
          ? ": " + WireCodec.decodeTexts(next.message().body().duplicate(), 1)
          : "";
    }

    String refusal() {
      return WireCodec.decodeTexts(next(Kind.REFUSED).body(), 1).getFirst();
    }
  }

  Node node(String name) {
    return node(name, 0, 16);
  }

  Node node(String name, long memory, int most) {
    return new Node(name, memory, most, UnaryOperator.identity());
  }

  Node node(String name, UnaryOperator<Segment> hook) {
    return new Node(name, 0, 16, hook);
  }

  /**
   * An origin {@code o} with an open session. A node of the plan that does not exist yet is made,
   * and holds all layers.
   *
   * @param plan as in {@link #plan}
   */
  SteppedOrigin openOrigin(String plan) {
    for (String name : plan.split("")) {
      if (!name.equals("o") && !receivers.containsKey(name)) {
        node(name).holds(0, 4);
      }
    }
    SteppedOrigin origin = new SteppedOrigin(this, "o", 1, plan);
    origin.open();
    return origin;
  }

  MessageRecorder recorder(String name) {
    MessageRecorder recorder = new MessageRecorder();
    receivers.put(name, recorder);
    return recorder;
  }

  void send(String from, String to, NodeMessage message) {
    if (unreachable.contains(to) || !receivers.containsKey(to)) {
      throw new ClusterException("node " + to + " is not reached");
    }
    byte[] bytes = new byte[message.body().remaining()];
    message.body().duplicate().get(bytes);
    NodeMessage copy = new NodeMessage(message.kind(), message.session(), ByteBuffer.wrap(bytes));
    receivers.get(to).received(from, copy);
  }

  void send(String from, String to, Kind kind, long session, ByteBuffer body) {
    send(from, to, new NodeMessage(kind, session, body));
  }

  void open(String origin, String node, long session, OpenSessionRequest opening) {
    send(origin, node, Kind.OPEN, session, WireCodec.encode(opening));
    work();
  }

  void load(String origin, String node, String sha256, int from, int to) {
    long bytes = (long) FakeLoadedLayers.LAYER * (to - from);
    LoadLayersRequest request = new LoadLayersRequest(sha256, MODEL, from, to, 1000, bytes);
    send(origin, node, Kind.LOAD, 0, WireCodec.encode(request));
    work();
  }

  /** Lets all nodes work until none has anything to do. */
  void work() {
    boolean any = true;
    while (any) {
      any = false;
      for (Node node : all) {
        any |= node.work();
      }
    }
  }

  /** A plan: {@code nodes.charAt(layer)}. */
  static Pipe plan(long epoch, String origin, String nodes) {
    List<Pipe.NodeLayers> stretches = new ArrayList<>();
    for (int from = 0; from < nodes.length(); ) {
      int to = from + 1;
      while (to < nodes.length() && nodes.charAt(to) == nodes.charAt(from)) {
        to++;
      }
      stretches.add(new Pipe.NodeLayers(nodes.substring(from, from + 1), from, to));
      from = to;
    }
    return new Pipe(epoch, origin, nodes.length(), stretches);
  }

  static OpenSessionRequest opening(Pipe plan) {
    return opening(plan, 8, new BatchShape(64, 8, 2));
  }

  /** A request that differs from the usual one in what it asks for. */
  static OpenSessionRequest opening(Pipe plan, int pages, BatchShape batch) {
    CacheShape cache = new CacheShape(KvType.F16, 512, pages);
    return new OpenSessionRequest(
        new SessionParameters(SHA, MODEL, NumericsVersion.of(1), cache, batch), plan);
  }
}
