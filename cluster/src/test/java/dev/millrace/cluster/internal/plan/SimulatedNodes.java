package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.wheel.BatchLoop.InFlightGroup;
import dev.millrace.engine.numerics.ModelNumerics;
import dev.millrace.engine.numerics.SupportedNumerics;
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
 * A simulated network: nodes that hold what the test says, answer what they are asked, and a clock
 * that goes when it is moved.
 */
final class SimulatedNodes implements PipeActions {
  static final int LAYERS = 9;
  static final String SHA = "5ha";
  static final ModelNumerics NUMERICS =
      new ModelNumerics(SupportedNumerics.CURRENT, Set.of("q4_0", "q6_k"));

  final PipeCoordinator coordinator;
  final OriginCounters counters = new OriginCounters();
  final Map<Integer, PipeSession> running = new TreeMap<>();
  final Map<Integer, List<InFlightGroup>> away = new HashMap<>();
  final List<String> sent = new ArrayList<>();
  final List<String> revoked = new ArrayList<>();
  final List<String> disconnected = new ArrayList<>();
  final Set<Integer> idle = new HashSet<>();
  final Set<String> silent = new HashSet<>();
  final Map<String, String> refusing = new HashMap<>();
  List<PipeState> announced = List.of();
  List<String> expelled = List.of();
  long now = 1;

  private final Map<String, NodeState> states = new TreeMap<>();
  private final List<PlannerEvent> answers = new ArrayList<>();
  private long ids;
  private long revisions;

  SimulatedNodes(int maxPipes) {
    ModelRequirements need =
        new ModelRequirements(SHA, "model.gguf", 1000, Collections.nCopies(LAYERS, 100L), 10, 1);
    SessionParameters parameters =
        new SessionParameters(
            SHA,
            "model.gguf",
            NUMERICS.newest(),
            new SessionParameters.CacheShape(KvType.F16, 64, 8),
            new SessionParameters.BatchShape(32, 4, 8));
    coordinator =
        new PipeCoordinator(
            new PlannerSettings("origin", need, parameters, maxPipes, TimeUnit.SECONDS.toNanos(60)),
            new KnownNodes("origin", need, 1, NUMERICS),
            this,
            counters,
            () -> ++ids);
  }

  static NodeState node(String name, long incarnation) {
    HostPort somewhere = new HostPort("127.0.0.1", 1);
    return NodeState.of(name, incarnation, 1, SupportedNumerics.CURRENT, somewhere, somewhere);
  }

  static HeldLayers holding(int from, int to, HeldLayers.State state) {
    long bytes = 100L * (to - from);
    return new HeldLayers(SHA, "model.gguf", LAYERS, from, to, state, false, bytes, 0, "full");
  }

  /** A node has these layers now, and no memory for others. */
  void holds(String name, int from, int to) {
    holds(name, holding(from, to, HeldLayers.State.LOADED));
  }

  void holds(String name, HeldLayers... holdings) {
    put(node(name, 1).withLayers(0, 0, List.of(holdings), List.of()));
  }

  /** Several nodes and their layers, and the origin has heard of them: {@code a 1-5, b 5-9}. */
  void publish(String layers) {
    for (String one : layers.split(", ")) {
      String[] parts = one.split("[ -]");
      holds(parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
    }
    publish();
  }

  /** A node that has memory for layers. */
  void free(String name, long memory) {
    put(node(name, 1).withLayers(memory, 0, List.of(), List.of()));
  }

  /** The node m has these layers, of 5000 bytes of memory. */
  void loads(int from, int to, HeldLayers.State state) {
    long used = state == HeldLayers.State.FAILED ? 0 : 400;
    put(node("m", 1).withLayers(5_000, used, List.of(holding(from, to, state)), List.of()));
  }

  String waitingReason() {
    return coordinator.status().waitingReason();
  }

  /** A node's state, newer than all before. */
  void put(NodeState state) {
    states.put(state.name(), state.withRevision(++revisions));
  }

  void remove(String name) {
    states.remove(name);
  }

  /** The origin hears the states of all nodes, and acts on them. */
  void publish() {
    publishWithoutTick();
    advance(60);
  }

  /** The origin hears the states of all nodes; it has not planned yet. */
  void publishWithoutTick() {
    coordinator.handle(new PlannerEvent.States(List.copyOf(states.values())), now);
  }

  void handle(PlannerEvent event) {
    coordinator.handle(event, now);
    settle();
  }

  /** Lets time pass in steps of 50 ms. */
  void advance(long millis) {
    long until = now + TimeUnit.MILLISECONDS.toNanos(millis);
    while (now < until) {
      now = Math.min(until, now + TimeUnit.MILLISECONDS.toNanos(50));
      coordinator.tick(now);
      settle();
    }
  }

  private void settle() {
    while (!answers.isEmpty()) {
      List<PlannerEvent> next = List.copyOf(answers);
      answers.clear();
      next.forEach(event -> coordinator.handle(event, now));
      coordinator.tick(now);
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
      if (opening.parameters().cache().pages() != 8
          || opening.parameters().batch().inFlight() != 8) {
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
    var request = WireCodec.decodeLoadRequest(message.body().duplicate());
    return " " + request.from() + "-" + request.to();
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
    disconnected.add(node);
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
