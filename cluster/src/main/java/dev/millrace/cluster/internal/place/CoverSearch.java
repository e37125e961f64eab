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
 * Looks for stretches that cover a course while no worker takes longer than a limit. All pipes grow
 * together: the one that is behind gets the next stretch, as long as it can be. So k pipes are
 * found wherever every layer is in k single windows of different workers: of the workers that have
 * the layer where the last pipe stands, every other pipe has used one at most.
 *
 * <p>With a limit the question is as hard as scheduling with release times and deadlines, so only
 * the best states of each round are followed: those that waste least of what the workers could do.
 */
final class CoverSearch {
  /** States that are followed in each round: fewer where each has many ways on. */
  private static final int LEAST_WIDTH = 4;

  private static final int MOST_WIDTH = 24;
  private static final int WINDOWS_A_ROUND = 240;

  /** Ways on that are tried from each state. */
  private static final int BRANCHES = 6;

  /** Which of two states is followed; both are the same number of stretches. */
  enum Preference {
    /** The one that wastes less: finds a cover where there is one. */
    THRIFT,
    /** The one that has come further: finds a cover of few stretches. */
    REACH
  }

  /** One stretch more: out of a window to a layer. */
  private record Extension(int pipe, int window, int to, double covered, double potential) {}

  /** Stretches so far. */
  private static final class State {
    final int[] frontier; // of each pipe: the next layer to be covered
    final int[] owner; // of each worker: its pipe, or -1
    final double[] load; // of each worker, bytes
    final long[] memory; // of each worker, left
    final boolean[] used; // of each window
    final @Nullable State before;
    final @Nullable Step step;
    final double covered; // bytes
    final double potential; // bytes: no way on from here covers more

    State(CoverProblem course) {
      List<Node> workers = course.workers();
      frontier = new int[course.pipes()];
      Arrays.fill(frontier, course.next()[0]);
      owner = new int[workers.size()];
      Arrays.fill(owner, -1);
      load = workers.stream().mapToDouble(Node::load).toArray();
      memory = workers.stream().mapToLong(Node::memory).toArray();
      used = new boolean[course.windows().size()];
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

  private final CoverProblem course;
  private final double limit; // seconds
  private final Preference preference;
  private final double wanted;
  private final int width;
  private final Window[] windows;
  private final double[] speed; // of each worker
  private final double[] left; // of each worker, for open()
  private final boolean[] several; // of each worker: whether it has more than one window

  private CoverSearch(CoverProblem course, double limit, Preference preference) {
    this.course = course;
    this.limit = limit;
    this.preference = preference;
    this.wanted = (double) course.bytesToCover() * course.pipes();
    this.windows = course.windows().toArray(Window[]::new);
    this.speed = course.workers().stream().mapToDouble(Node::speed).toArray();
    this.left = new double[speed.length];
    this.width =
        Math.clamp(WINDOWS_A_ROUND / Math.max(1, course.windows().size()), LEAST_WIDTH, MOST_WIDTH);
    this.several = new boolean[course.workers().size()];
    boolean[] one = new boolean[several.length];
    for (Window window : course.windows()) {
      several[window.worker()] |= one[window.worker()];
      one[window.worker()] = true;
    }
  }

  /** Stretches that cover the course within the limit; null where none were found. */
  static @Nullable List<Step> find(CoverProblem course, double limit, Preference preference) {
    return new CoverSearch(course, limit, preference).run();
  }

  private @Nullable List<Step> run() {
    List<State> states = List.of(new State(course));
    while (!states.isEmpty()) {
      Set<Long> seen = new HashSet<>();
      List<State> further = new ArrayList<>();
      for (State state : states) {
        if (state.frontier[state.last()] >= course.layers()) {
          return steps(state);
        }
        extend(state, seen, further);
      }
      further.sort(order(state -> state.covered, state -> state.potential));
      states = further.subList(0, Math.min(width, further.size()));
    }
    return null;
  }

  /** The better first: both have the same number of stretches. */
  private <T> Comparator<T> order(ToDoubleFunction<T> covered, ToDoubleFunction<T> potential) {
    Comparator<T> reach = Comparator.comparingDouble(covered).reversed();
    Comparator<T> thrift = Comparator.comparingDouble(potential).reversed();
    return preference == Preference.THRIFT
        ? thrift.thenComparing(reach)
        : reach.thenComparing(thrift);
  }

  private void extend(State state, Set<Long> seen, List<State> further) {
    int pipe = state.last();
    int from = state.frontier[pipe];
    List<Extension> ways = new ArrayList<>();
    for (int i = 0; i < windows.length; i++) {
      int worker = windows[i].worker();
      boolean free = state.owner[worker] < 0 || state.owner[worker] == pipe;
      if (free && !state.used[i] && from >= windows[i].from() && from < windows[i].to()) {
        ways(state, pipe, i, ways);
      }
    }
    ways.sort(order(Extension::covered, Extension::potential));
    int taken = 0;
    for (int i = 0; i < ways.size() && taken < BRANCHES; i++) {
      State next = after(state, ways.get(i));
      if (seen.add(next.key())) {
        further.add(next);
        taken++;
      }
    }
  }

  /** The stretches that a window allows next, as long as all can still be covered after them. */
  private void ways(State state, int pipe, int window, List<Extension> ways) {
    int worker = windows[window].worker();
    int from = state.frontier[pipe];
    int to = course.maxEnd(from, windows[window].to(), room(state, worker), state.memory[worker]);
    // Who has layers elsewhere too may do better to stop early and keep its time for those.
    int shortest = several[worker] && limit < Double.MAX_VALUE ? from + 1 : to;
    for (int end = to; end > from && end >= shortest; end--) {
      double covered = state.covered + course.bytes(from, end);
      double potential = covered + open(state, pipe, window, end);
      if (potential >= wanted) {
        ways.add(new Extension(pipe, window, end, covered, potential));
      }
    }
  }

  private double room(State state, int worker) {
    return limit * speed[worker] - state.load[worker];
  }

  private State after(State state, Extension way) {
    Step step = new Step(way.pipe, windows[way.window], state.frontier[way.pipe], way.to);
    int worker = step.window().worker();
    State next = new State(state, step, way.covered, way.potential);
    next.frontier[step.pipe()] = course.next()[step.to()];
    next.owner[worker] = step.pipe();
    next.load[worker] += course.bytes(step.from(), step.to());
    if (next.memory[worker] != Long.MAX_VALUE) {
      next.memory[worker] -= course.memory(step.from(), step.to());
    }
    next.used[way.window] = true;
    return next;
  }

  /**
   * What all workers could still cover after a stretch to {@code to}, if none were in another's
   * way.
   */
  private double open(State state, int pipe, int window, int to) {
    int here = course.next()[to];
    int behind = here;
    for (int i = 0; i < state.frontier.length; i++) {
      behind = i == pipe ? behind : Math.min(behind, state.frontier[i]);
    }
    int taker = windows[window].worker();
    Arrays.fill(left, 0);
    for (int i = 0; i < windows.length; i++) {
      Window other = windows[i];
      int owner = other.worker() == taker ? pipe : state.owner[other.worker()];
      if (i != window && !state.used[i]) {
        int start = owner < 0 ? behind : owner == pipe ? here : state.frontier[owner];
        left[other.worker()] += course.bytes(Math.max(other.from(), start), other.to());
      }
    }
    double open = 0;
    for (int worker = 0; worker < left.length; worker++) {
      double most = Math.min(room(state, worker), state.memory[worker]);
      if (worker == taker) {
        most -= course.bytes(state.frontier[pipe], to);
      }
      open += Math.max(0, Math.min(left[worker], most));
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
