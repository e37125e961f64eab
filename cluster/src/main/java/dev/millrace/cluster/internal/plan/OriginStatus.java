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
 * How the pipes are, as others see it: what runs and how fast, what is missing and who had it. The
 * planner's thread writes, any may read.
 */
public final class OriginStatus {
  /** Who may be asked to compute layers apart from any pipe. */
  public record LayerHolder(String node, List<LayerRange> loaded, double speed, int sessions) {}

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final String LOOKING = "looking for nodes";
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
  private volatile String waiting = LOOKING;
  private volatile List<PipeState> pipes = List.of();
  private volatile List<String> expelled = List.of();
  private volatile List<LayerHolder> holders = List.of();
  private volatile int nodes;
  private volatile int members;

  /** Tokens of a pipe by the second, over the last one that is over. */
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

  OriginStatus(PipeDemand demand, PipeActions actions, OriginCounters counters) {
    this.origin = demand.origin();
    this.need = demand.need();
    this.actions = actions;
    this.counters = counters;
  }

  public boolean isReady() {
    return ready;
  }

  /** Empty while a pipe runs. */
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

  /** Those that are in pipes, or are asked to be. */
  public int nodes() {
    return nodes;
  }

  /** All others that are in the network. */
  public int members() {
    return members;
  }

  public void onReady(Runnable listener) {
    listeners.add(listener);
  }

  /** Nodes have told something of which no plan was made yet: what was said of them stays. */
  void markStale() {
    isStale = true;
  }

  /** A plan was made of these candidates. */
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

  /** Looks at everything again, and tells where it has changed. */
  void refresh(List<PipeStateMachine> machines, NodePenalties penalties, KnownNodes known, long now) {
    boolean runs = machines.stream().anyMatch(PipeStateMachine::isRunning);
    String why = runs ? "" : why(machines, penalties, known, now);
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
    List<String> liars = penalties.expelled();
    if (!states.equals(pipes) || !liars.equals(expelled)) {
      pipes = states;
      expelled = liars;
      actions.announce(states, liars);
    }
    if (runs && !wasReady) {
      listeners.forEach(OriginStatus::tell);
    }
    wasReady = runs;
  }

  /** What there is of a first pipe, with its gaps. */
  private PipeState incomplete(String why) {
    List<PipeStretch> stretches = ShortageText.stretches(need, origin, candidates);
    return new PipeState(need.sha256(), need.model(), need.layers(), 0, 0, stretches, 0, 0, why);
  }

  private static void tell(Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "who waited for a pipe failed: {0}", e.toString());
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

  private String why(
      List<PipeStateMachine> machines, NodePenalties penalties, KnownNodes known, long now) {
    for (PipeStateMachine machine : machines) {
      if (machine.state() == PipeStateMachine.State.OPENING) {
        return "pipe %d %s".formatted(machine.number(), opening(machine));
      }
    }
    Placement latest = placement;
    if (latest == null || !known.hasSeenAny()) {
      return LOOKING;
    }
    if (isStale && !waiting.isEmpty()) {
      return waiting;
    }
    List<String> words = new ArrayList<>();
    words.addAll(
        ShortageText.missing(
            latest.missing(),
            known::lastHolder,
            node -> {
              String left = penalties.exclusionReason(node, now);
              return left != null ? ": " + left : known.has(node) ? "" : ", which is gone";
            }));
    words.addAll(ShortageText.coming(latest.coming(), candidates));
    words.addAll(known.problems());
    String memory =
        ShortageText.memoryShortage(
            need,
            latest.missing(),
            candidates.stream().filter(one -> known.acceptsLayers(one.node(), now)).toList());
    if (memory != null) {
      words.add(memory);
    }
    return words.isEmpty() ? "a plan is being made" : String.join("; ", words);
  }
}
