package dev.millrace.engine.internal.grammar.automaton;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.grammar.automaton.StackFrames.Frame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs an automaton on all its stacks at once. States and their parts are cached and reused. When
 * there are too many, a new generation starts empty, and states in use are carried over by {@link
 * #adopt}. Not thread-safe.
 */
public final class AutomatonRunner {
  /** The most frames that one byte may touch; only a very ambiguous grammar comes near. */
  static final int MAX_FRAMES = 20_000;

  /** About how much a generation may hold before the next one starts. */
  private static final long MAX_KEPT_BYTES = 32L << 20;

  private static final int FRAME_BYTES = 128;

  private record Returned(ParseState state, int cost) {}

  private record FrameKey(int state, StackFrames below) {}

  private record Key(int[] numbers) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && Arrays.equals(numbers, key.numbers);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(numbers);
    }
  }

  private final PushdownAutomaton automaton;
  private final Map<FrameKey, Frame> frames = new HashMap<>();
  private final Map<Key, StackFrames> sets = new HashMap<>();
  private final Map<Key, ParseState> configs = new HashMap<>();
  private final Map<StackFrames, Returned> returns = new IdentityHashMap<>();
  private final List<List<Frame>> callers = new ArrayList<>(); // (rule), empty between uses
  private final int[] rank; // (rule) -> its place in the automaton's order
  private final BitSet called = new BitSet(); // by rank, empty between uses
  private long work; // frames touched so far
  private int step; // of these by the present byte, and those of its known part
  private int ids; // never reused, so that keys of different generations differ
  private int generation;
  private long kept; // bytes of this generation

  public AutomatonRunner(PushdownAutomaton automaton) {
    this.automaton = automaton;
    for (int i = 0; i < automaton.starts.length; i++) {
      callers.add(new ArrayList<>());
    }
    rank = new int[automaton.order.length];
    for (int i = 0; i < rank.length; i++) {
      rank[automaton.order[i]] = i;
    }
  }

  /** About the bytes that the states of this generation take. */
  public long bytes() {
    return kept;
  }

  /** The number of frames touched so far, a measure of the time spent. */
  long work() {
    return work;
  }

  /** The state before the first byte of a text. */
  public ParseState start() {
    Kernel kernel = new Kernel();
    kernel.add(automaton.starts[0], StackFrames.GROUND);
    kernel.bottom = automaton.nullable;
    return kernel.config();
  }

  /** One state of a rule, for any caller. */
  ParseState startAt(int state) {
    Kernel kernel = new Kernel();
    kernel.add(state, StackFrames.GROUND);
    return kernel.config();
  }

  /** The state after a byte of the class; {@link ParseState#DEAD} if it cannot follow. */
  public ParseState next(ParseState config, int byteClass) {
    if (byteClass == ByteClasses.NONE || !config.canContinue()) {
      return ParseState.DEAD;
    }
    ParseState known = config.next[byteClass];
    if (known == null) {
      known = step(config, byteClass);
      config.next[byteClass] = known;
      config.costs[2 * byteClass] = step + automaton.stateCost();
    }
    return known;
  }

  /**
   * What a step costs, in frames: each step once for an account, and also if its result is known.
   * So the costs of a mask do not depend on what was computed before.
   */
  int cost(ParseState config, int byteClass, int account) {
    if (byteClass == ByteClasses.NONE
        || !config.canContinue()
        || config.costs[2 * byteClass + 1] == account) {
      return 0;
    }
    config.costs[2 * byteClass + 1] = account;
    return config.costs[2 * byteClass];
  }

  /** The state after the return of a rule to all of these callers. */
  ParseState returned(StackFrames stack) {
    return returnTo(stack).state;
  }

  /** What {@link #returned} costs, in frames. */
  int returnCost(StackFrames stack) {
    return returnTo(stack).cost;
  }

  private Returned returnTo(StackFrames stack) {
    Returned known = returns.get(stack);
    if (known == null) {
      step = 0;
      Kernel kernel = new Kernel();
      kernel.pop(stack);
      known = new Returned(kernel.config(), step);
      kept += FRAME_BYTES;
      returns.put(stack, known);
    }
    return known;
  }

  /** The same state in the current generation. */
  public ParseState adopt(ParseState config) {
    return config.generation == generation
        ? config
        : intern(config.states, config.stacks, config.mayEnd);
  }

  /** Starts a new generation if the current one is too large; returns whether it did. */
  public boolean startGenerationIfFull() {
    if (kept < MAX_KEPT_BYTES) {
      return false;
    }
    frames.clear();
    sets.clear();
    configs.clear();
    returns.clear();
    kept = 0;
    generation++;
    return true;
  }

  private ParseState step(ParseState config, int byteClass) {
    step = config.readerCost;
    if (config.readers == null) {
      expand(config);
      config.readerCost = step;
    }
    Kernel kernel = new Kernel();
    count(config.readers.length);
    for (int i = 0; i < config.readers.length; i++) {
      int state = automaton.next(config.readers[i], byteClass);
      if (state >= 0) {
        kernel.add(state, config.readerStacks[i]);
        if (automaton.isEnd(state)) {
          kernel.pop(config.readerStacks[i]);
        }
      }
    }
    return kernel.config();
  }

  /**
   * Follows the calls, each rule after all rules that can call it, so that one visit sees all its
   * callers.
   */
  private void expand(ParseState config) {
    List<StackFrames> stacks = new ArrayList<>();
    int[] readers = new int[8];
    for (int i = 0; i < config.states.length; i++) {
      readers = visit(config.states[i], config.stacks[i], readers, stacks);
    }
    for (int next = called.nextSetBit(0); next >= 0; next = called.nextSetBit(next + 1)) {
      int rule = automaton.order[next];
      StackFrames stack = set(callers.get(rule));
      callers.get(rule).clear();
      readers = visit(automaton.starts[rule], stack, readers, stacks);
    }
    called.clear();
    config.readers = Arrays.copyOf(readers, stacks.size());
    config.readerStacks = stacks.toArray(StackFrames[]::new);
    kept += 8L * stacks.size() + 32;
  }

  private int[] visit(int state, StackFrames stack, int[] readers, List<StackFrames> stacks) {
    call(state, stack);
    if (!automaton.reads(state)) {
      return readers;
    }
    int size = stacks.size();
    int[] grown = size == readers.length ? Arrays.copyOf(readers, 2 * size) : readers;
    grown[size] = state;
    stacks.add(stack);
    return grown;
  }

  private void call(int state, StackFrames stack) {
    int[] calls = automaton.calls(state);
    for (int i = 0; i < calls.length; i += 2) {
      called.set(rank[calls[i]]);
      List<Frame> to = callers.get(calls[i]);
      if (automaton.isExit(calls[i + 1])) {
        Collections.addAll(
            to, stack.frames()); // a tail call returns directly to the callers of this rule
      } else {
        to.add(frame(calls[i + 1], stack));
      }
    }
  }

  private Frame frame(int state, StackFrames below) {
    return frames.computeIfAbsent(
        new FrameKey(state, below),
        key -> {
          kept += FRAME_BYTES;
          return new Frame(ids++, state, below);
        });
  }

  private void count(int frames) {
    work += frames;
    step += frames;
    if (step > MAX_FRAMES) {
      callers.forEach(List::clear);
      called.clear();
      throw ambiguous();
    }
  }

  static GrammarException ambiguous() {
    return new GrammarException(
        "the grammar is too ambiguous: there are too many ways to read the text so far; make"
            + " repetitions and alternatives exclude each other");
  }

  private StackFrames set(List<Frame> members) {
    count(members.size());
    if (members.size() > 1) {
      members.sort(Comparator.comparingInt(Frame::id));
    }
    List<Frame> unique = new ArrayList<>();
    for (Frame frame : members) {
      if (unique.isEmpty() || unique.getLast() != frame) {
        unique.add(frame);
      }
    }
    if (unique.size() == 1 && unique.getFirst() == StackFrames.BOTTOM) {
      return StackFrames.GROUND;
    }
    Key key = new Key(unique.stream().mapToInt(Frame::id).toArray());
    return sets.computeIfAbsent(
        key,
        k -> {
          kept += FRAME_BYTES + 8L * unique.size();
          return new StackFrames(ids++, unique.toArray(Frame[]::new));
        });
  }

  private ParseState intern(int[] states, StackFrames[] stacks, boolean bottom) {
    if (states.length == 0) {
      return bottom ? ParseState.END : ParseState.DEAD;
    }
    int[] numbers = new int[2 * states.length + 1];
    for (int i = 0; i < states.length; i++) {
      numbers[2 * i] = states[i];
      numbers[2 * i + 1] = stacks[i].id();
    }
    numbers[2 * states.length] = bottom ? 1 : 0;
    return configs.computeIfAbsent(
        new Key(numbers),
        key -> {
          int classes = automaton.classes.count();
          kept += 2L * FRAME_BYTES + 16L * states.length + 12L * classes;
          return new ParseState(generation, states, stacks, bottom, classes);
        });
  }

  /** Collects the states after a byte. */
  private final class Kernel {
    private final TreeMap<Integer, Set<StackFrames>> stacksOf = new TreeMap<>();
    private boolean bottom;

    void add(int state, StackFrames stack) {
      if (!automaton.isExit(state)) {
        stacksOf.computeIfAbsent(state, key -> new LinkedHashSet<>(2)).add(stack);
      }
    }

    /** Returns from a rule, and from those of its callers that end with it. */
    void pop(StackFrames from) {
      ArrayDeque<StackFrames> open = new ArrayDeque<>();
      Set<StackFrames> seen = Collections.newSetFromMap(new IdentityHashMap<>());
      open.add(from);
      seen.add(from);
      while (!open.isEmpty()) {
        StackFrames stack = open.remove();
        count(stack.frames().length);
        for (Frame frame : stack.frames()) {
          if (frame == StackFrames.BOTTOM) {
            bottom = true;
            continue;
          }
          add(frame.state(), frame.below());
          if (automaton.isEnd(frame.state()) && seen.add(frame.below())) {
            open.add(frame.below());
          }
        }
      }
    }

    ParseState config() {
      int[] states = new int[stacksOf.size()];
      StackFrames[] stacks = new StackFrames[states.length];
      int at = 0;
      for (Map.Entry<Integer, Set<StackFrames>> entry : stacksOf.entrySet()) {
        states[at] = entry.getKey();
        stacks[at++] = union(entry.getValue());
      }
      return intern(states, stacks, bottom);
    }

    private StackFrames union(Set<StackFrames> parts) {
      if (parts.size() == 1) {
        return parts.iterator().next();
      }
      List<Frame> all = new ArrayList<>();
      for (StackFrames part : parts) {
        Collections.addAll(all, part.frames());
      }
      return set(all);
    }
  }
}
