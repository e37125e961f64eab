package dev.millrace.cluster.internal.place;

import dev.millrace.cluster.internal.place.CoverProblem.Node;
import dev.millrace.cluster.internal.place.CoverProblem.Step;
import dev.millrace.cluster.internal.place.CoverProblem.Window;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Searches for stretches that cover all layers while no node takes longer than a limit. All pipes
 * grow together: the shortest one gets the next stretch, as long as possible. So k pipes are found
 * whenever every layer is in k single windows of different nodes: of the nodes that have the next
 * layer of the shortest pipe, every other pipe has used at most one.
 *
 * <p>With a limit the question is as hard as scheduling with release times and deadlines, so only
 * the best states of each round are followed: those that waste the least capacity.
 */
final class CoverSearch {
  /** States that are followed in each round; fewer if each has many extensions. */
  private static final int MIN_WIDTH = 4;

  private static final int MAX_WIDTH = 24;
  private static final int WINDOWS_PER_ROUND = 240;

  /** Extensions that are tried from each state. */
  private static final int BRANCHES = 6;

  /** Which of two states with the same number of stretches is followed. */
  enum Preference {
    /** The one that wastes less capacity: finds a cover if there is one. */
    LEAST_WASTE,
    /** The one that covers more: finds a cover of few stretches. */
    MOST_COVERED
  }

  /** One more stretch: out of a window up to a layer. */
  private record Extension(int pipe, int window, int to, double covered, double potential) {}

  /** Stretches so far. */
  private static final class State {
    final int[] frontier; // of each pipe: the next layer to be covered
    final int[] owner; // of each node: its pipe, or -1
    final double[] load; // of each node, bytes
    final long[] memory; // of each node, left
    final boolean[] used; // of each window
    final @Nullable State before;
    final @Nullable Step step;
    final double covered; // bytes
    final double potential; // bytes: an upper bound of what can be covered from here

    State(CoverProblem problem) {
      List<Node> nodes = problem.nodes();
      frontier = new int[problem.pipes()];
      Arrays.fill(frontier, problem.next()[0]);
      owner = new int[nodes.size()];
      Arrays.fill(owner, -1);
      load = nodes.stream().mapToDouble(Node::load).toArray();
      memory = nodes.stream().mapToLong(Node::memory).toArray();
      used = new boolean[problem.windows().size()];
      before = null;
      step = null;
      covered = 0;
      potential = 0;
    }

    State(State before, Step step, double covered, double potential) {
      this.before = before;
      this.step = step;
      this.frontier = before.frontier.clone();
      this.owner = before.owner.clone();
      this.load = before.load.clone();
      this.memory = before.memory.clone();
      this.used = before.used.clone();
      this.covered = covered;
      this.potential = potential;
    }

    int last() {
      int last = 0;
      for (int i = 1; i < frontier.length; i++) {
        last = frontier[i] < frontier[last] ? i : last;
      }
      return last;
    }

    long key() {
      long key = Arrays.hashCode(frontier);
      key = key * 0x9E3779B97F4A7C15L + Arrays.hashCode(owner);
      key = key * 0x9E3779B97F4A7C15L + Arrays.hashCode(used);
      return key * 0x9E3779B97F4A7C15L + Arrays.hashCode(load);
    }
  }

  private final CoverProblem problem;
  private final double limit; // seconds
  private final Preference preference;
  private final double wanted;
  private final int width;
  private final Window[] windows;
  private final double[] speed; // of each node
  private final double[] left; // of each node, for open()
  private final boolean[] several; // of each node: whether it has more than one window

  private CoverSearch(CoverProblem problem, double limit, Preference preference) {
    this.problem = problem;
    this.limit = limit;
    this.preference = preference;
    this.wanted = (double) problem.bytesToCover() * problem.pipes();
    this.windows = problem.windows().toArray(Window[]::new);
    this.speed = problem.nodes().stream().mapToDouble(Node::speed).toArray();
    this.left = new double[speed.length];
    this.width =
        Math.clamp(WINDOWS_PER_ROUND / Math.max(1, problem.windows().size()), MIN_WIDTH, MAX_WIDTH);
    this.several = new boolean[problem.nodes().size()];
    boolean[] one = new boolean[several.length];
    for (Window window : problem.windows()) {
      several[window.node()] |= one[window.node()];
      one[window.node()] = true;
    }
  }

  /** Stretches that cover all layers within the limit; null if none were found. */
  static @Nullable List<Step> find(CoverProblem problem, double limit, Preference preference) {
    return new CoverSearch(problem, limit, preference).run();
  }

  private @Nullable List<Step> run() {
    List<State> states = List.of(new State(problem));
    while (!states.isEmpty()) {
      Set<Long> seen = new HashSet<>();
      List<State> further = new ArrayList<>();
      for (State state : states) {
        if (state.frontier[state.last()] >= problem.layers()) {
          return steps(state);
        }
        extend(state, seen, further);
      }
      further.sort(order(state -> state.covered, state -> state.potential));
      states = further.subList(0, Math.min(width, further.size()));
    }
    return null;
  }

  /** The better first. */
  private <T> Comparator<T> order(ToDoubleFunction<T> covered, ToDoubleFunction<T> potential) {
    Comparator<T> reach = Comparator.comparingDouble(covered).reversed();
    Comparator<T> thrift = Comparator.comparingDouble(potential).reversed();
    return preference == Preference.LEAST_WASTE
        ? thrift.thenComparing(reach)
        : reach.thenComparing(thrift);
  }

  private void extend(State state, Set<Long> seen, List<State> further) {
    int pipe = state.last();
    int from = state.frontier[pipe];
    List<Extension> extensions = new ArrayList<>();
    for (int i = 0; i < windows.length; i++) {
      int node = windows[i].node();
      boolean free = state.owner[node] < 0 || state.owner[node] == pipe;
      if (free && !state.used[i] && from >= windows[i].from() && from < windows[i].to()) {
        extensions(state, pipe, i, extensions);
      }
    }
    extensions.sort(order(Extension::covered, Extension::potential));
    int taken = 0;
    for (int i = 0; i < extensions.size() && taken < BRANCHES; i++) {
      State next = after(state, extensions.get(i));
      if (seen.add(next.key())) {
        further.add(next);
        taken++;
      }
    }
  }

  /** The next stretches that a window allows, if all layers can still be covered after them. */
  private void extensions(State state, int pipe, int window, List<Extension> extensions) {
    int node = windows[window].node();
    int from = state.frontier[pipe];
    int to = problem.maxEnd(from, windows[window].to(), room(state, node), state.memory[node]);
    // A node with several windows may do better to stop early and keep its time for another.
    int shortest = several[node] && limit < Double.MAX_VALUE ? from + 1 : to;
    for (int end = to; end > from && end >= shortest; end--) {
      double covered = state.covered + problem.bytes(from, end);
      double potential = covered + open(state, pipe, window, end);
      if (potential >= wanted) {
        extensions.add(new Extension(pipe, window, end, covered, potential));
      }
    }
  }

  private double room(State state, int node) {
    return limit * speed[node] - state.load[node];
  }

  private State after(State state, Extension extension) {
    Step step =
        new Step(
            extension.pipe,
            windows[extension.window],
            state.frontier[extension.pipe],
            extension.to);
    int node = step.window().node();
    State next = new State(state, step, extension.covered, extension.potential);
    next.frontier[step.pipe()] = problem.next()[step.to()];
    next.owner[node] = step.pipe();
    next.load[node] += problem.bytes(step.from(), step.to());
    if (next.memory[node] != Long.MAX_VALUE) {
      next.memory[node] -= problem.memory(step.from(), step.to());
    }
    next.used[extension.window] = true;
    return next;
  }

  /** Upper bound of the bytes that all nodes can still cover after a stretch to {@code to}. */
  private double open(State state, int pipe, int window, int to) {
    int here = problem.next()[to];
    int behind = here;
    for (int i = 0; i < state.frontier.length; i++) {
      behind = i == pipe ? behind : Math.min(behind, state.frontier[i]);
    }
    int taker = windows[window].node();
    Arrays.fill(left, 0);
    for (int i = 0; i < windows.length; i++) {
      Window other = windows[i];
      int owner = other.node() == taker ? pipe : state.owner[other.node()];
      if (i != window && !state.used[i]) {
        int start = owner < 0 ? behind : owner == pipe ? here : state.frontier[owner];
        left[other.node()] += problem.bytes(Math.max(other.from(), start), other.to());
      }
    }
    double open = 0;
    for (int node = 0; node < left.length; node++) {
      double most = Math.min(room(state, node), state.memory[node]);
      if (node == taker) {
        most -= problem.bytes(state.frontier[pipe], to);
      }
      open += Math.max(0, Math.min(left[node], most));
    }
    return open;
  }

  private static List<Step> steps(State state) {
    Deque<Step> steps = new ArrayDeque<>();
    for (State at = state; at != null && at.step != null; at = at.before) {
      steps.addFirst(at.step);
    }
    return List.copyOf(steps);
  }
}
