package dev.millrace.engine.grammar;

import dev.millrace.engine.grammar.Frames.Frame;
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
 * Runs an automaton on all its stacks at once. Configurations and their parts are kept and reused;
 * when there are too many the next generation begins with none, and configurations in use are taken
 * over by {@link #adopt}. Not safe for several threads at a time.
 */
final class Stacks {
  /** How many frames one byte may touch; only a very ambiguous grammar comes near. */
  static final int MAX_FRAMES = 20_000;

  private static final int MAX_KEPT = 60_000;

  private record FrameKey(int state, Frames below) {}

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

  private final Automaton automaton;
  private final Map<FrameKey, Frame> frames = new HashMap<>();
  private final Map<Key, Frames> sets = new HashMap<>();
  private final Map<Key, Config> configs = new HashMap<>();
  private final Map<Frames, Config> returns = new IdentityHashMap<>();
  private final List<List<Frame>> callers = new ArrayList<>(); // (rule), empty between uses
  private final int[] rank; // (rule) -> its place in the automaton's order
  private final BitSet called = new BitSet(); // by rank, empty between uses
  private long work; // frames touched so far
  private int step; // of these by the present byte
  private int ids; // never reused, so that keys of different generations differ
  private int generation;

  Stacks(Automaton automaton) {
    this.automaton = automaton;
    for (int i = 0; i < automaton.starts.length; i++) {
      callers.add(new ArrayList<>());
    }
    rank = new int[automaton.order.length];
    for (int i = 0; i < rank.length; i++) {
      rank[automaton.order[i]] = i;
    }
  }

  /** Whether one mask alone has made far more than a generation is meant to hold. */
  boolean isOverfull() {
    return kept() > 3 * MAX_KEPT;
  }

  private int kept() {
    return configs.size() + sets.size() + frames.size();
  }

  /** How many frames were touched so far, a measure of the time spent. */
  long work() {
    return work;
  }

  /** Before the first byte of a text. */
  Config start() {
    Kernel kernel = new Kernel();
    kernel.add(automaton.starts[0], Frames.GROUND);
    kernel.bottom = automaton.nullable;
    return kernel.config();
  }

  /** In one state of a rule, whoever called it. */
  Config within(int state) {
    Kernel kernel = new Kernel();
    kernel.add(state, Frames.GROUND);
    return kernel.config();
  }

  /** After a byte of the class; {@link Config#DEAD} where it cannot follow. */
  Config next(Config config, int byteClass) {
    if (byteClass == ByteClasses.NONE || !config.goesOn()) {
      return Config.DEAD;
    }
    Config known = config.next[byteClass];
    if (known == null) {
      known = step(config, byteClass);
      config.next[byteClass] = known;
    }
    return known;
  }

  /** After the return of a rule that was called by all of these. */
  Config returned(Frames stack) {
    Config known = returns.get(stack);
    if (known == null) {
      step = 0;
      Kernel kernel = new Kernel();
      kernel.pop(stack);
      known = kernel.config();
      returns.put(stack, known);
    }
    return known;
  }

  /** The configuration as one of the present generation. */
  Config adopt(Config config) {
    return config.generation == generation
        ? config
        : intern(config.states, config.stacks, config.bottom);
  }

  /** Begins a new generation where there is too much of the present one; true where it did. */
  boolean renew() {
    if (kept() < MAX_KEPT) {
      return false;
    }
    frames.clear();
    sets.clear();
    configs.clear();
    returns.clear();
    generation++;
    return true;
  }

  private Config step(Config config, int byteClass) {
    step = 0;
    if (config.readers == null) {
      expand(config);
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
   * Follows the calls, each rule after all that can call it, so that one visit sees all its
   * callers.
   */
  private void expand(Config config) {
    List<Frames> stacks = new ArrayList<>();
    int[] readers = new int[8];
    for (int i = 0; i < config.states.length; i++) {
      readers = visit(config.states[i], config.stacks[i], readers, stacks);
    }
    for (int next = called.nextSetBit(0); next >= 0; next = called.nextSetBit(next + 1)) {
      int rule = automaton.order[next];
      Frames stack = set(callers.get(rule));
      callers.get(rule).clear();
      readers = visit(automaton.starts[rule], stack, readers, stacks);
    }
    called.clear();
    config.readers = Arrays.copyOf(readers, stacks.size());
    config.readerStacks = stacks.toArray(Frames[]::new);
  }

  private int[] visit(int state, Frames stack, int[] readers, List<Frames> stacks) {
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

  private void call(int state, Frames stack) {
    int[] calls = automaton.calls(state);
    for (int i = 0; i < calls.length; i += 2) {
      called.set(rank[calls[i]]);
      List<Frame> to = callers.get(calls[i]);
      if (automaton.isExit(calls[i + 1])) {
        Collections.addAll(
            to, stack.frames()); // the last call of a rule returns to where the rule itself would
      } else {
        to.add(frame(calls[i + 1], stack));
      }
    }
  }

  private Frame frame(int state, Frames below) {
    return frames.computeIfAbsent(
        new FrameKey(state, below), key -> new Frame(ids++, state, below));
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

  private Frames set(List<Frame> members) {
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
    if (unique.size() == 1 && unique.getFirst() == Frames.BOTTOM) {
      return Frames.GROUND;
    }
    Key key = new Key(unique.stream().mapToInt(Frame::id).toArray());
    return sets.computeIfAbsent(key, k -> new Frames(ids++, unique.toArray(Frame[]::new)));
  }

  private Config intern(int[] states, Frames[] stacks, boolean bottom) {
    if (states.length == 0) {
      return bottom ? Config.END : Config.DEAD;
    }
    int[] numbers = new int[2 * states.length + 1];
    for (int i = 0; i < states.length; i++) {
      numbers[2 * i] = states[i];
      numbers[2 * i + 1] = stacks[i].id();
    }
    numbers[2 * states.length] = bottom ? 1 : 0;
    return configs.computeIfAbsent(
        new Key(numbers),
        key -> new Config(generation, states, stacks, bottom, automaton.classes.count()));
  }

  /** The states after a byte, while they are collected. */
  private final class Kernel {
    private final TreeMap<Integer, Set<Frames>> stacksOf = new TreeMap<>();
    private boolean bottom;

    void add(int state, Frames stack) {
      if (!automaton.isExit(state)) {
        stacksOf.computeIfAbsent(state, key -> new LinkedHashSet<>(2)).add(stack);
      }
    }

    /** Returns from a rule, and from those of its callers that end with it. */
    void pop(Frames from) {
      ArrayDeque<Frames> open = new ArrayDeque<>();
      Set<Frames> seen = Collections.newSetFromMap(new IdentityHashMap<>());
      open.add(from);
      seen.add(from);
      while (!open.isEmpty()) {
        Frames stack = open.remove();
        count(stack.frames().length);
        for (Frame frame : stack.frames()) {
          if (frame == Frames.BOTTOM) {
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

    Config config() {
      int[] states = new int[stacksOf.size()];
      Frames[] stacks = new Frames[states.length];
      int at = 0;
      for (Map.Entry<Integer, Set<Frames>> entry : stacksOf.entrySet()) {
        states[at] = entry.getKey();
        stacks[at++] = union(entry.getValue());
      }
      return intern(states, stacks, bottom);
    }

    private Frames union(Set<Frames> parts) {
      if (parts.size() == 1) {
        return parts.iterator().next();
      }
      List<Frame> all = new ArrayList<>();
      for (Frames part : parts) {
        Collections.addAll(all, part.frames());
      }
      return set(all);
    }
  }
}
