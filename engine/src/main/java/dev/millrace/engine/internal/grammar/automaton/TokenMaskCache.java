package dev.millrace.engine.internal.grammar.automaton;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Computes and caches which tokens may follow a state, as bits over the vocabulary. The tokens that
 * stay within a rule do not depend on its callers: they are computed once for each state of the
 * automaton, with the nodes of the vocabulary's trie at which the rule may return. Only the part
 * below these nodes is visited again for each stack; it is small, because few tokens reach over the
 * end of a rule. Not thread-safe.
 */
public final class TokenMaskCache {
  /**
   * Tokens from one state: those that stay in its rule, and the nodes at which they may leave it.
   */
  private record Local(long[] bits, int[] exits, long cost) {}

  private static final long MAX_BYTES = 32L << 20;

  /**
   * The most that one mask may cost, in visited nodes: a limit for hostile grammars. The thread of
   * the batch computes masks, so this is what one token of one request can make the others wait,
   * about a tenth of a second at worst.
   */
  private static final long MAX_COST = 10_000_000;

  private static final int NODES_PER_FRAME =
      20; // how many nodes are walked in the time that a frame takes

  private final VocabularyTrie trie;
  private final PushdownAutomaton automaton;
  private final AutomatonRunner stacks;
  private final int words;
  private final Map<Integer, Local> locals;
  private final Map<ParseState, long[]> masks;
  private final ParseState[] path; // (depth) -> configuration at the node of that depth
  private final int[] classOf = new int[256];
  private int[] exits = new int[64];
  private int exitCount;
  private long visited;
  private long cost; // of the present mask, or of the present state's part of it
  private int accounts; // of costs so far

  public TokenMaskCache(VocabularyTrie trie, PushdownAutomaton automaton, AutomatonRunner stacks) {
    this.trie = trie;
    this.automaton = automaton;
    this.stacks = stacks;
    words = (trie.vocabulary() + 63) / 64;
    int kept = (int) Math.max(64, MAX_BYTES / 2 / (8L * words + 64));
    locals = leastRecentlyUsed(kept);
    masks = leastRecentlyUsed(kept);
    path = new ParseState[trie.maxDepth() + 1];
    for (int b = 0; b < 256; b++) {
      classOf[b] = automaton.classes.of(b);
    }
  }

  private static <K, V> Map<K, V> leastRecentlyUsed(int capacity) {
    return new LinkedHashMap<>(64, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > capacity;
      }
    };
  }

  /** The mask of a state; shared, do not change it. */
  public long[] of(ParseState config) {
    @Nullable long[] known = masks.get(config);
    if (known == null) {
      known = make(config);
      masks.put(config, known);
    }
    return known;
  }

  /** Drops the masks of a past generation. */
  public void clearMasks() {
    masks.clear();
  }

  /** Computes the masks of the automaton's states in advance, up to a bounded amount of work. */
  public void prepare(long nodes) {
    long limit = spent() + nodes;
    int most = Math.min(automaton.states(), (int) (MAX_BYTES / 4 / (8L * words + 64)));
    for (int state = 0; state < most && spent() < limit && !isInterrupted(); state++) {
      if (!automaton.isExit(state)) {
        local(state);
        stacks.startGenerationIfFull();
      }
    }
  }

  /** Whoever interrupts a compilation does not want its masks. */
  private static boolean isInterrupted() {
    return Thread.currentThread().isInterrupted();
  }

  /** About the memory that the masks take. */
  public long bytes() {
    return (8L * words + 64) * (locals.size() + masks.size());
  }

  private long spent() {
    return visited + NODES_PER_FRAME * stacks.work();
  }

  private long[] make(ParseState config) {
    if (config.states.length == 1 && !config.mayEnd) {
      Local local = local(config.states[0]);
      if (local.exits.length == 0) {
        return local.bits;
      }
    }
    long[] bits = new long[words];
    int[][] exits = new int[config.states.length][];
    long sum = 0;
    for (int i = 0; i < exits.length; i++) {
      Local local = local(config.states[i]);
      sum += local.cost + words;
      require(sum);
      for (int word = 0; word < words; word++) {
        bits[word] |= local.bits[word];
      }
      exits[i] = local.exits;
    }
    accounts++;
    cost = sum;
    for (int i = 0; i < exits.length; i++) {
      if (exits[i].length > 0) {
        ParseState after = stacks.returned(config.stacks[i]);
        charge(NODES_PER_FRAME * (long) stacks.returnCost(config.stacks[i]));
        for (int node : exits[i]) {
          walk(node, after, bits);
        }
      }
    }
    if (config.mayEnd) {
      for (int token : trie.endTokens()) {
        bits[token >> 6] |= 1L << token;
      }
    }
    return bits;
  }

  private Local local(int state) {
    @Nullable Local known = locals.get(state);
    if (known == null) {
      long[] bits = new long[words];
      accounts++;
      cost = 0;
      walk(0, stacks.startAt(state), bits);
      known = new Local(bits, Arrays.copyOf(exits, exitCount), cost);
      locals.put(state, known);
    }
    return known;
  }

  private void charge(long nodes) {
    cost += nodes;
    require(cost);
  }

  private static void require(long cost) {
    if (cost > MAX_COST) {
      throw AutomatonRunner.ambiguous();
    }
  }

  /**
   * Sets the bits of all tokens below the node that can be read from there, and collects the nodes
   * where stacks run empty.
   */
  private void walk(int from, ParseState start, long[] bits) {
    exitCount = 0;
    if (!start.canContinue()) {
      return;
    }
    path[trie.depth(from)] = start;
    int end = trie.end(from);
    int node = from + 1;
    while (node < end) {
      visited++;
      int depth = trie.depth(node);
      ParseState before = path[depth - 1];
      int byteClass = classOf[trie.label(node)];
      ParseState config = stacks.next(before, byteClass);
      charge(1 + NODES_PER_FRAME * (long) stacks.cost(before, byteClass, accounts));
      if (config == ParseState.DEAD) {
        node = trie.end(node);
        continue;
      }
      path[depth] = config;
      for (int token = trie.token(node); token >= 0; token = trie.sameText(token)) {
        bits[token >> 6] |= 1L << token;
      }
      if (config.mayEnd) {
        exits = exitCount == exits.length ? Arrays.copyOf(exits, 2 * exitCount) : exits;
        exits[exitCount++] = node;
      }
      node++;
    }
  }
}
