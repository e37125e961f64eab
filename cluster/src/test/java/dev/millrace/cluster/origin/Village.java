package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.Holding;
import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.cluster.member.NodeState;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.member.PipeState;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.engine.cache.KvType;
import dev.millrace.engine.wheel.WheelStats;
import dev.millrace.engine.wheel.Wheels.Away;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A network that exists in a test's head: nodes that hold what they are told to, answer what they
 * are asked, and a clock that goes when it is moved.
 */
final class Village implements Works {
  static final int LAYERS = 9;
  static final String SHA = "5ha";

  final Planning planning;
  final Figures figures = new Figures();
  final Map<Integer, Session> running = new TreeMap<>();
  final Map<Integer, List<Away>> away = new HashMap<>();
  final List<String> sent = new ArrayList<>();
  final List<String> revoked = new ArrayList<>();
  final List<String> hungUp = new ArrayList<>();
  final Set<Integer> idle = new HashSet<>();
  final Set<String> silent = new HashSet<>();
  final Map<String, String> refusing = new HashMap<>();
  List<PipeState> announced = List.of();
  List<String> expelled = List.of();
  long now = 1;

  private final Map<String, NodeState> nodes = new TreeMap<>();
  private final List<Event> answers = new ArrayList<>();
  private long ids;
  private long numbers;

  Village(int maxPipes) {
    ModelNeed need =
        new ModelNeed(SHA, "model.gguf", 1000, Collections.nCopies(LAYERS, 100L), 10, 1);
    Terms terms = new Terms(SHA, "model.gguf", 1, KvType.F16, 64, 8, 32, 4, 8);
    planning =
        new Planning(
            "origin",
            need,
            terms,
            maxPipes,
            TimeUnit.SECONDS.toNanos(60),
            new Fleet("origin", need, 1, 1),
            this,
            figures,
            () -> ++ids);
  }

  static NodeState node(String name, long incarnation) {
    HostPort somewhere = new HostPort("127.0.0.1", 1);
    return NodeState.of(name, incarnation, 1, 1, somewhere, somewhere);
  }

  static Holding holding(int from, int to, Holding.State state) {
    long bytes = 100L * (to - from);
    return new Holding(SHA, "model.gguf", LAYERS, from, to, state, false, bytes, 0, "full");
  }

  /** That node has these layers now. */
  void has(String name, int from, int to) {
    has(name, holding(from, to, Holding.State.LOADED));
  }

  void has(String name, Holding... holdings) {
    put(node(name, 1).withStock(0, 0, List.of(holdings), List.of()));
  }

  /** That node tells this, later than all that it told before. */
  void put(NodeState state) {
    nodes.put(
        state.name(),
        new NodeState(
            state.name(),
            state.incarnation(),
            ++numbers,
            state.protocol(),
            state.numerics(),
            state.link(),
            state.member(),
            state.memory(),
            state.used(),
            state.holdings(),
            state.files(),
            state.sessions(),
            state.passages(),
            state.cacheBytes(),
            state.needs(),
            state.pipes(),
            state.expelled()));
  }

  void gone(String name) {
    nodes.remove(name);
  }

  /** The network tells, and all that follows is done. */
  void tell() {
    hear();
    go(60);
  }

  /** The network tells; nothing follows yet. */
  void hear() {
    planning.handle(new Event.States(List.copyOf(nodes.values())), now);
  }

  void tell(Event event) {
    planning.handle(event, now);
    settle();
  }

  /** Lets time pass in steps of 50 ms. */
  void go(long millis) {
    long until = now + TimeUnit.MILLISECONDS.toNanos(millis);
    while (now < until) {
      now = Math.min(until, now + TimeUnit.MILLISECONDS.toNanos(50));
      planning.tick(now);
      settle();
    }
  }

  private void settle() {
    while (!answers.isEmpty()) {
      List<Event> next = List.copyOf(answers);
      answers.clear();
      next.forEach(event -> planning.handle(event, now));
      planning.tick(now);
    }
  }

  /** Who runs which layers in a pipe, or "none". */
  String pipe(int number) {
    Session session = running.get(number);
    return session == null ? "none" : session.words();
  }

  long session(int pipe) {
    return running.get(pipe).id();
  }

  @Override
  public void send(String node, Message message) {
    sent.add(message.kind() + " " + node + (message.kind() == Kind.LOAD ? load(message) : ""));
    if (silent.contains(node)) {
      return;
    }
    if (message.kind() == Kind.OPEN) {
      Opening opening = Codec.opening(message.body().duplicate());
      if (opening.pages() != 8 || opening.inFlight() != 8) {
        throw new AssertionError(opening);
      }
      String refusal = refusing.get(node);
      answers.add(
          refusal == null
              ? new Event.Opened(node, message.session())
              : new Event.Refused(node, message.session(), refusal));
    }
  }

  private static String load(Message message) {
    var wish = Codec.assignment(message.body().duplicate());
    return " " + wish.from() + "-" + wish.to();
  }

  @Override
  public void plan(int pipe, @Nullable Session session, String why) {
    if (session == null) {
      running.remove(pipe);
    } else {
      running.put(pipe, session);
    }
  }

  @Override
  public void revokeAll(String why) {
    revoked.add(why + ", while there ran " + running.keySet());
  }

  @Override
  public void hangUp(String node, String why) {
    hungUp.add(node);
  }

  @Override
  public List<Away> away(int pipe) {
    return away.getOrDefault(pipe, List.of());
  }

  @Override
  public boolean idle(int pipe) {
    return idle.contains(pipe);
  }

  @Override
  public WheelStats stats(int pipe) {
    return new WheelStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  @Override
  public void announce(List<PipeState> pipes, List<String> names) {
    announced = pipes;
    expelled = names;
  }
}
