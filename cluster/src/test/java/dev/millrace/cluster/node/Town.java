package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Assignment;
import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.place.Range;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.cluster.wire.Receiver;
import dev.millrace.engine.Numerics;
import dev.millrace.engine.cache.KvType;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.Segment;
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
final class Town {
  static final String SHA = "ab".repeat(32);
  static final String MODEL = "fake";

  /** Who takes what is sent to a name. */
  private final Map<String, Receiver> receivers = new HashMap<>();

  private final List<Node> nodes = new ArrayList<>();
  final Set<String> unreachable = new HashSet<>();

  /** A node without its network. */
  final class Node implements Roads {
    final String name;
    final Inbox inbox = new Inbox();
    final FakeSupply supply = new FakeSupply();
    final Budget budget;
    final Stock stock;
    final Sessions sessions;
    final Desk desk;
    final Queue<Message> unsaid = new ArrayDeque<>();
    final Queue<Runnable> dialling = new ArrayDeque<>();
    boolean dialsSlowly;
    long now; // nanoseconds; a millisecond passes whenever somebody looks

    Node(String name, long memory, int most, UnaryOperator<Segment> hook) {
      this.name = name;
      budget = new Budget(memory);
      stock = new Stock(budget, supply, inbox, this::tick);
      sessions = new Sessions(name, most, budget, stock, inbox, this, this::tick, hook);
      desk = new Desk(inbox, stock, sessions);
      receivers.put(name, desk);
      nodes.add(this);
    }

    @Override
    public void tell(String to, Message message) {
      try {
        send(name, to, message);
      } catch (ClusterException e) {
        unsaid.add(message);
      }
    }

    @Override
    public void pass(String to, Message frame) {
      send(name, to, frame);
    }

    @Override
    public void link(Collection<String> others, Consumer<Optional<Cut>> made) {
      Runnable dial =
          () ->
              made.accept(
                  others.stream()
                      .filter(unreachable::contains)
                      .map(other -> new Cut(other, "it is silent"))
                      .findFirst());
      if (dialsSlowly) {
        dialling.add(dial);
      } else {
        dial.run();
      }
    }

    private long tick() {
      return now += 1_000_000;
    }

    /** Has these layers from the start. */
    FakeWeights holds(int from, int to) {
      stock.hold(
          Held.placed(
              SHA, MODEL, new Range(from, to), 1000, (long) FakeWeights.LAYER * (to - from)));
      FakeWeights weights = supply.load(supply.order.getLast());
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

  /** Keeps what comes to it. */
  static final class Ear implements Receiver {
    record Heard(String from, Message message) {}

    final Queue<Heard> heard = new ArrayDeque<>();

    @Override
    public void received(String from, Message message) {
      heard.add(new Heard(from, message));
    }

    @Override
    public void lost(String node, String why) {}

    /** The next message, which must be of this kind. */
    Message next(Kind kind) {
      Heard next = heard.poll();
      if (next == null || next.message().kind() != kind) {
        throw new AssertionError(kind + " expected, not " + next + words(next));
      }
      return next.message();
    }

    private static String words(Heard next) {
      return next != null && next.message().kind() == Kind.REFUSED
          ? ": " + Codec.texts(next.message().body().duplicate(), 1)
          : "";
    }

    String refusal() {
      return Codec.texts(next(Kind.REFUSED).body(), 1).getFirst();
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

  Ear ear(String name) {
    Ear ear = new Ear();
    receivers.put(name, ear);
    return ear;
  }

  void send(String from, String to, Message message) {
    if (unreachable.contains(to) || !receivers.containsKey(to)) {
      throw new ClusterException("node " + to + " is not reached");
    }
    byte[] bytes = new byte[message.body().remaining()];
    message.body().duplicate().get(bytes);
    Message copy = new Message(message.kind(), message.session(), ByteBuffer.wrap(bytes));
    receivers.get(to).received(from, copy);
  }

  void send(String from, String to, Kind kind, long session, ByteBuffer body) {
    send(from, to, new Message(kind, session, body));
  }

  void open(String origin, String node, long session, Opening opening) {
    send(origin, node, Kind.OPEN, session, Codec.encode(opening));
    work();
  }

  void load(String origin, String node, String sha256, int from, int to) {
    long bytes = (long) FakeWeights.LAYER * (to - from);
    Assignment wish = new Assignment(sha256, MODEL, from, to, 1000, bytes);
    send(origin, node, Kind.LOAD, 0, Codec.encode(wish));
    work();
  }

  /** Lets all nodes work until none has anything to do. */
  void work() {
    boolean any = true;
    while (any) {
      any = false;
      for (Node node : nodes) {
        any |= node.work();
      }
    }
  }

  /** A plan: {@code nodes.charAt(layer)}. */
  static Pipe plan(long epoch, String origin, String nodes) {
    List<Pipe.Stretch> stretches = new ArrayList<>();
    for (int from = 0; from < nodes.length(); ) {
      int to = from + 1;
      while (to < nodes.length() && nodes.charAt(to) == nodes.charAt(from)) {
        to++;
      }
      stretches.add(new Pipe.Stretch(nodes.substring(from, from + 1), from, to));
      from = to;
    }
    return new Pipe(epoch, origin, nodes.length(), stretches);
  }

  static Opening opening(Pipe plan) {
    return new Opening(SHA, MODEL, Numerics.VERSION, plan, KvType.F16, 512, 8, 64, 8, 2);
  }
}
