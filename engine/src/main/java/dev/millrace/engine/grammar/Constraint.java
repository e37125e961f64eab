package dev.millrace.engine.grammar;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.automaton.AutomatonRunner;
import dev.millrace.engine.internal.grammar.automaton.ParseState;
import dev.millrace.engine.internal.grammar.automaton.PushdownAutomaton;
import dev.millrace.engine.internal.grammar.automaton.TokenMaskCache;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import dev.millrace.engine.token.Vocabulary;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A grammar compiled for a vocabulary: for each prefix of a text, it says which tokens keep the
 * text valid. Compiled once and shared by any number of sequences and threads, with one bounded
 * cache for all of them (about 32 MiB of masks and 32 MiB of stacks).
 *
 * <p>A grammar may have 100,000 states; each count of a repetition adds one or more. One byte of
 * text may touch 20,000 frames of its stacks, and what one mask may cost is limited, too. Only very
 * large or very ambiguous grammars come near these limits; they end in a {@link GrammarException}.
 */
public final class Constraint {
  /**
   * Nodes of the vocabulary's trie that are visited ahead of use: a few tenths of a second at most.
   */
  private static final long PREPARED_NODES = 12_000_000;

  private final VocabularyTrie trie;
  private final PushdownAutomaton automaton;
  private final AutomatonRunner stacks; // guarded by this
  private final TokenMaskCache masks; // guarded by this
  private volatile long bytes;

  private Constraint(VocabularyTrie trie, PushdownAutomaton automaton) {
    this.trie = trie;
    this.automaton = automaton;
    stacks = new AutomatonRunner(automaton);
    masks = new TokenMaskCache(trie, automaton, stacks);
  }

  /**
   * Compiles a grammar for a vocabulary. For several grammars over one vocabulary, make a {@link
   * ConstraintCompiler}.
   *
   * @throws GrammarException if the grammar needs too many states, or a byte that is in no token
   */
  public static Constraint compile(Grammar grammar, Vocabulary vocabulary) {
    return compile(grammar, new VocabularyTrie(vocabulary));
  }

  static Constraint compile(Grammar grammar, VocabularyTrie trie) {
    Constraint constraint =
        new Constraint(
            trie, PushdownAutomaton.of(grammar.rules(), trie.bytes(), CompileBudget.current()));
    constraint.prepare();
    return constraint;
  }

  private synchronized void prepare() {
    masks.prepare(PREPARED_NODES);
    measure();
  }

  private void measure() {
    bytes = automaton.bytes() + stacks.bytes() + masks.bytes();
  }

  /** About the memory that it takes now: its caches grow with use, up to a limit. */
  public long bytes() {
    return bytes;
  }

  /** The control tokens that it may use. */
  public Set<Integer> shownTokens() {
    return trie.shownTokens();
  }

  /** The state before the first token. */
  public State start() {
    return new State(begin());
  }

  private synchronized ParseState begin() {
    return stacks.start();
  }

  private synchronized ParseState current(ParseState config) {
    if (stacks.startGenerationIfFull()) {
      masks.clearMasks();
    }
    return stacks.adopt(config);
  }

  private synchronized long[] mask(ParseState config) {
    long[] mask = masks.of(config);
    measure();
    return mask;
  }

  private synchronized ParseState read(ParseState config, byte[] text) {
    ParseState at = config;
    for (int i = 0; i < text.length && at != ParseState.DEAD; i++) {
      at = stacks.next(at, automaton.classes.of(text[i] & 0xff));
    }
    return at;
  }

  /**
   * The state of one sequence. It depends only on the accepted tokens, so a sequence is resumed by
   * accepting them again. For one thread at a time.
   */
  public final class State {
    ParseState
        config; // the same object for the same state, until the runner starts a new generation of
    // states
    private long @Nullable [] allowed;

    private State(ParseState config) {
      this.config = config;
    }

    /**
     * The tokens that may follow: bit {@code t & 63} of word {@code t >>> 6} is token t. It
     * includes end tokens exactly where the text may end, and of the control tokens only shown
     * ones. The array is
     * shared: do not change it. The mask is never empty, unless the text must end and the
     * vocabulary has no end token.
     *
     * @throws GrammarException if the grammar continues but no token of the vocabulary does, or if
     *     the grammar is so ambiguous that the mask would take too long
     */
    public long[] allowed() {
      if (allowed == null) {
        config = current(config);
        allowed = mask(config);
        if (config.canContinue() && isEmpty(allowed)) {
          throw new GrammarException(
              "no token of the vocabulary can follow: the grammar needs bytes here that no token"
                  + " begins with");
        }
      }
      return allowed;
    }

    private static boolean isEmpty(long[] mask) {
      for (long word : mask) {
        if (word != 0) {
          return false;
        }
      }
      return true;
    }

    /** Advances by a token. Returns false and changes nothing if the token may not follow. */
    public boolean accept(int token) {
      if (trie.isEnd(token)) {
        if (!config.mayEnd) {
          return false;
        }
        config = ParseState.END;
        allowed = null;
        return true;
      }
      byte[] text = trie.text(token);
      return text.length > 0 && accept(text);
    }

    /** Advances by a text. Returns false and changes nothing if the text may not follow. */
    public boolean accept(byte[] text) {
      ParseState next = read(current(config), text);
      if (next == ParseState.DEAD) {
        return false;
      }
      config = next;
      allowed = null;
      return true;
    }

    /** Whether the text may end here. */
    public boolean mayEnd() {
      return config.mayEnd;
    }

    /** Whether the text must end here: an end token was accepted, or nothing else can follow. */
    public boolean mustEnd() {
      return !config.canContinue();
    }

    /** An independent copy of this state. */
    public State copy() {
      State copy = new State(config);
      copy.allowed = allowed;
      return copy;
    }

    /** Returns to the state before the first token. */
    public void reset() {
      config = begin();
      allowed = null;
    }
  }
}
