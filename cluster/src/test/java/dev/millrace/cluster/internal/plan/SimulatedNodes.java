package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.wheel.BatchLoop.InFlightGroup;
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
final class SimulatedNodes implements PipeActions {
  static final int LAYERS = 9;
  static final String SHA = "5ha";

  final PipeCoordinator planning;
  final OriginCounters figures = new OriginCounters();
  final Map<Integer, PipeSession> running = new TreeMap<>();
  final Map<Integer, List<InFlightGroup>> away = new HashMap<>();
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
  private final List<PlannerEvent> answers = new ArrayList<>();
  private long ids;
  private long numbers;

  SimulatedNodes(int maxPipes) {
    ModelRequirements need =
        new ModelRequirements(SHA, "model.gguf", 1000, Collections.nCopies(LAYERS, 100L), 10, 1);
    SessionParameters parameters =
        new SessionParameters(
            SHA,
            "model.gguf",
            1,
            new SessionParameters.CacheShape(KvType.F16, 64, 8),
            new SessionParameters.BatchShape(32, 4, 8));
    planning =
        new PipeCoordinator(
            new PipeDemand("origin", need, parameters, maxPipes, TimeUnit.SECONDS.toNanos(60)),
            new KnownNodes("origin", need, 1, 1),
            this,
            figures,
            () -> ++ids);
  }

  static NodeState node(String name, long incarnation) {
    HostPort somewhere = new HostPort("127.0.0.1", 1);
    return NodeState.of(name, incarnation, 1, 1, somewhere, somewhere);
  }

  static HeldLayers holding(int from, int to, HeldLayers.State state) {
    long bytes = 100L * (to - from);
    return new HeldLayers(SHA, "model.gguf", LAYERS, from, to, state, false, bytes, 0, "full");
  }

  /** That node has these layers now. */
  void has(String name, int from, int to) {
    has(name, holding(from, to, HeldLayers.State.LOADED));
  }

  void has(String name, HeldLayers... holdings) {
    put(node(name, 1).withLayers(0, 0, List.of(holdings), List.of()));
  }

  /** That node tells this, later than all that it told before. */
  void put(NodeState state) {
    nodes.put(
        state.name(),
        state.withRevision(++numbers));
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
    planning.handle(new PlannerEvent.States(List.copyOf(nodes.values())), now);
  }

  void tell(PlannerEvent event) {
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
      List<PlannerEvent> next = List.copyOf(answers);
      answers.clear();
      next.forEach(event -> planning.handle(event, now));
      planning.tick(now);
    }
  }

  /** Who runs which layers in a pipe, or "none". */
  String pipe(int number) {
    PipeSession session = running.get(number);
    return session == null ? "none" : session.describe();
  }

  long session(int pipe) {
    return running.get(pipe).id();
  }

  @Override
  public void send(String node, NodeMessage message) {
    sent.add(message.kind() + " " + node + (message.kind() == Kind.LOAD ? load(message) : ""));
    if (silent.contains(node)) {
      return;
    }
    if (message.kind() == Kind.OPEN) {
      OpenSessionRequest opening = WireCodec.decodeOpenRequest(message.body().duplicate());
      if (opening.parameters().cache().pages() != 8 || opening.parameters().batch().inFlight() != 8) {
        throw new AssertionError(opening);
      }
      String refusal = refusing.get(node);
      answers.add(
          refusal == null
              ? new PlannerEvent.Opened(node, message.session())
              : new PlannerEvent.Refused(node, message.session(), refusal));
    }
  }

  private static String load(NodeMessage message) {
    var wish = WireCodec.decodeLoadRequest(message.body().duplicate());
    return " " + wish.from() + "-" + wish.to();
  }

  @Override
  public void usePlan(int pipe, @Nullable PipeSession session, String why) {
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
  public void disconnect(String node, String why) {
    hungUp.add(node);
  }

  @Override
  public List<InFlightGroup> stepsAway(int pipe) {
    return away.getOrDefault(pipe, List.of());
  }

  @Override
  public boolean isIdle(int pipe) {
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
