package dev.millrace.core.internal.rules;

import dev.millrace.core.internal.rules.PossibleActions.Kind;
import dev.millrace.core.internal.rules.PossibleActions.Step;
import dev.millrace.core.internal.rules.TransitionListener.Transition;
import dev.millrace.core.job.JobState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Explores every state that a variant can reach, breadth first, and keeps the graph. */
final class StateSpace {

  /** A row of a table that was taken, for one of its states. */
  record Taken(String entity, String event, String from) {}

  private record Edge(int from, int to, Kind kind) {}

  /** Several times what any variant has: more means that something grows without end. */
  private static final int MOST = 100_000;

  private final JobVariant variant;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<ExploredState> worlds = new ArrayList<>();
  private final List<Edge> edges = new ArrayList<>();
  private final Set<Taken> taken = new HashSet<>();
  private int compared;

  private StateSpace(JobVariant variant) {
    this.variant = variant;
  }

  static StateSpace explore(JobVariant variant) {
    StateSpace space = new StateSpace(variant);
    space.number(ExploredState.start(variant, space::took));
    for (int next = 0; next < space.worlds.size(); next++) {
      if (next > MOST) {
        throw new AssertionError(
            variant + ": more than " + MOST + " states; last " + space.worlds.getLast());
      }
      space.expand(next);
    }
    return space;
  }

  private void expand(int number) {
    ExploredState world = worlds.get(number);
    StateInvariants.ofWorld(world);
    for (Step step : PossibleActions.of(variant, world)) {
      StateInvariants.ofEdge(world, step);
      step.moves().forEach(this::took);
      if (step.recorded() || step.kind() != Kind.STALE && step.outcome().isDone()) {
        edges.add(new Edge(number, number(step.after()), step.kind()));
      }
    }
  }

  private void took(Transition move) {
    StateInvariants.ofMove(move);
    taken.add(new Taken(move.table().entity(), move.event().name(), move.from().name()));
  }

  private int number(ExploredState world) {
    String key = world.key();
    Integer known = numbers.putIfAbsent(key, worlds.size());
    if (known == null) {
      worlds.add(world);
      return worlds.size() - 1;
    }
    if (key.hashCode() % 64 == 0) {
      compared++;
      requireSameFuture(worlds.get(known), world);
    }
    return known;
  }

  /** Checks that the key is sufficient: states with the same key can do the same. */
  private void requireSameFuture(ExploredState one, ExploredState other) {
    Set<String> first = futures(one);
    Set<String> second = futures(other);
    if (!first.equals(second)) {
      throw new AssertionError("one key, two futures: " + one + "\n" + first + "\n" + second);
    }
  }

  private Set<String> futures(ExploredState world) {
    Set<String> futures = new TreeSet<>();
    for (Step step : PossibleActions.of(variant, world)) {
      futures.add(step.name() + step.outcome().getClass() + step.after().key());
    }
    return futures;
  }

  /** States that no user holds and from which no edge of these kinds leads to an end. */
  List<ExploredState> stuck(EnumSet<Kind> kinds, Predicate<ExploredState> end) {
    List<List<Integer>> sources = new ArrayList<>();
    worlds.forEach(world -> sources.add(new ArrayList<>()));
    for (Edge edge : edges) {
      if (kinds.contains(edge.kind())) {
        sources.get(edge.to()).add(edge.from());
      }
    }
    BitSet reached = new BitSet();
    ArrayDeque<Integer> open = new ArrayDeque<>();
    for (int i = 0; i < worlds.size(); i++) {
      if (end.test(worlds.get(i))) {
        reached.set(i);
        open.add(i);
      }
    }
    while (!open.isEmpty()) {
      for (int source : sources.get(open.remove())) {
        if (!reached.get(source)) {
          reached.set(source);
          open.add(source);
        }
      }
    }
    List<ExploredState> stuck = new ArrayList<>();
    for (int i = reached.nextClearBit(0); i < worlds.size(); i = reached.nextClearBit(i + 1)) {
      if (!worlds.get(i).heldByUser()) {
        stuck.add(worlds.get(i));
      }
    }
    return stuck;
  }

  List<ExploredState> states() {
    return worlds;
  }

  Set<JobState> jobStates() {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    worlds.forEach(world -> states.add(world.fold().state()));
    return states;
  }

  Set<Taken> taken() {
    return taken;
  }

  @Override
  public String toString() {
    return "%-22s %,8d states, %,9d edges, %,6d keys checked twice"
        .formatted(variant.name(), worlds.size(), edges.size(), compared);
  }
}
