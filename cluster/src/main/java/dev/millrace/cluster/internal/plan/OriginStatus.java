package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.PipeStretch;
import dev.millrace.cluster.internal.place.CandidateNode;
import dev.millrace.cluster.internal.place.Placement;
import dev.millrace.engine.api.WheelStats;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The status of an origin's pipes: which run and how fast, which layers are missing and which node
 * had them. The planner's thread writes; any thread may read.
 */
public final class OriginStatus {
  /** A node that may be asked to compute layers for a replay. */
  public record LayerHolder(String node, List<LayerRange> loaded, double speed, int sessions) {}

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final String LOOKING_FOR_NODES = "looking for nodes";
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final String origin;
  private final ModelRequirements need;
  private final PipeActions actions;
  private final OriginCounters counters;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final Map<Integer, Long> brokeAt = new HashMap<>();
  private final Map<Integer, Rate> rates = new HashMap<>();
  private @Nullable Placement placement;
  private List<CandidateNode> candidates = List.of();
  private String logged = "";
  private boolean wasReady;
  private boolean isStale;
  private volatile boolean ready;
  private volatile String waiting = LOOKING_FOR_NODES;
  private volatile List<PipeState> pipes = List.of();
  private volatile List<String> expelled = List.of();
  private volatile List<LayerHolder> holders = List.of();
  private volatile int nodes;
  private volatile int members;

  /** Tokens per second of a pipe, over the last full second. */
  private static final class Rate {
    private long tokens;
    private long since;
    private double rate;

    double at(long count, long now) {
      long nanos = now - since;
      if (since == 0 || nanos >= SECOND) {
        rate = since == 0 ? 0 : Math.max(0, count - tokens) * (double) SECOND / nanos;
        tokens = count;
        since = now == 0 ? 1 : now;
      }
      return rate;
    }
  }

  OriginStatus(PlannerSettings settings, PipeActions actions, OriginCounters counters) {
    this.origin = settings.origin();
    this.need = settings.need();
    this.actions = actions;
    this.counters = counters;
  }

  public boolean isReady() {
    return ready;
  }

  /** Why no pipe runs; empty while one runs. */
  public String waitingReason() {
    return ready ? "" : waiting;
  }

  public List<PipeState> pipes() {
    return pipes;
  }

  public List<String> expelled() {
    return expelled;
  }

  public List<LayerHolder> holders() {
    return holders;
  }

  /** Number of nodes that are in pipes or asked to be. */
  public int nodes() {
    return nodes;
  }

  /** Number of other members of the network. */
  public int members() {
    return members;
  }

  public void onReady(Runnable listener) {
    listeners.add(listener);
  }

  /** New states have come that no plan has used yet; the waiting reason stays until then. */
  void markStale() {
    isStale = true;
  }

  /** A plan was made with these candidates. */
  void planned(Placement next, List<CandidateNode> of) {
    placement = next;
    candidates = of;
    isStale = false;
    holders =
        of.stream()
            .map(c -> new LayerHolder(c.node(), c.loaded(), c.speed(), c.sessions()))
            .toList();
  }

  void pipeBroke(int pipe, long now) {
    brokeAt.put(pipe, now);
  }

  void pipeRuns(int pipe, long now) {
    Long broke = brokeAt.remove(pipe);
    if (broke != null) {
      counters.recoveries.increment();
      counters.lastRecoveryNanos.set(now - broke);
    }
  }

  /** Computes the status again, and announces changes. */
  void refresh(
      List<PipeStateMachine> machines, NodePenalties penalties, KnownNodes known, long now) {
    boolean runs = machines.stream().anyMatch(PipeStateMachine::isRunning);
    String why = runs ? "" : waitingReason(machines, penalties, known, now);
    boolean opens = machines.stream().anyMatch(machine -> machine.session() != null);
    if (!opens && !why.equals(logged)) {
      logged = why;
      LOG.log(Level.INFO, "{0} waits for a pipe: {1}", need.model(), why);
    }
    List<PipeState> states = new ArrayList<>();
    for (PipeStateMachine machine : machines) {
      PipeSession session = machine.session();
      if (session != null) {
        states.add(state(machine, session, now));
      }
    }
    if (states.isEmpty()) {
      states.add(incomplete(why));
    }
    waiting = why;
    ready = runs;
    members = known.size();
    nodes =
        (int)
            machines.stream()
                .map(PipeStateMachine::session)
                .filter(Objects::nonNull)
                .flatMap(session -> session.otherNodes().stream())
                .distinct()
                .count();
    List<String> expelledNow = penalties.expelled();
    if (!states.equals(pipes) || !expelledNow.equals(expelled)) {
      pipes = states;
      expelled = expelledNow;
      actions.announce(states, expelledNow);
    }
    if (runs && !wasReady) {
      listeners.forEach(OriginStatus::notify);
    }
    wasReady = runs;
  }

  /** The first pipe as far as its layers are there, with gaps. */
  private PipeState incomplete(String why) {
    List<PipeStretch> stretches = ShortageText.stretches(need, origin, candidates);
    return new PipeState(need.sha256(), need.model(), need.layers(), 0, 0, stretches, 0, 0, why);
  }

  private static void notify(Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "a listener for a running pipe failed: {0}", e.toString());
    }
  }

  private PipeState state(PipeStateMachine machine, PipeSession session, long now) {
    WheelStats stats = actions.stats(machine.number());
    double rate =
        rates.computeIfAbsent(machine.number(), n -> new Rate()).at(stats.chosenTokens(), now);
    return new PipeState(
        need.sha256(),
        need.model(),
        need.layers(),
        machine.number(),
        session.plan().epoch(),
        session.stretches(),
        stats.admitted(),
        rate,
        machine.isRunning() ? "" : opening(machine));
  }

  private static String opening(PipeStateMachine machine) {
    return "opens; awaited: " + String.join(", ", machine.awaited());
  }

  private String waitingReason(
      List<PipeStateMachine> machines, NodePenalties penalties, KnownNodes known, long now) {
    for (PipeStateMachine machine : machines) {
      if (machine.state() == PipeStateMachine.State.OPENING) {
        return "pipe %d %s".formatted(machine.number(), opening(machine));
      }
    }
    Placement latest = placement;
    if (latest == null || !known.hasSeenAny()) {
      return LOOKING_FOR_NODES;
    }
    if (isStale && !waiting.isEmpty()) {
      return waiting;
    }
    List<String> reasons = new ArrayList<>();
    reasons.addAll(
        ShortageText.missing(
            latest.missing(),
            known::lastHolder,
            node -> {
              String excluded = penalties.exclusionReason(node, now);
              return excluded != null ? ": " + excluded : known.has(node) ? "" : ", which is gone";
            }));
    reasons.addAll(ShortageText.coming(latest.coming(), candidates));
    reasons.addAll(known.problems());
    String memory =
        ShortageText.memoryShortage(
            need,
            latest.missing(),
            candidates.stream().filter(one -> known.acceptsLayers(one.node(), now)).toList());
    if (memory != null) {
      reasons.add(memory);
    }
    return reasons.isEmpty() ? "planning" : String.join("; ", reasons);
  }
}
