package dev.millrace.engine.grammar;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import dev.millrace.engine.token.Vocabulary;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Compiles grammars for one vocabulary; make it once for a model. It keeps the vocabulary's trie
 * for a few sets of shown control tokens. Thread-safe.
 */
public final class ConstraintCompiler {
  /** A trie takes a few megabytes; few sets of shown tokens are in use at the same time. */
  private static final int MOST_TRIES = 4;

  private final Vocabulary vocabulary;
  private final VocabularyTrie plain;
  private final Map<Set<Integer>, VocabularyTrie> tries = // guarded by itself
      new LinkedHashMap<>(8, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Set<Integer>, VocabularyTrie> eldest) {
          return size() > MOST_TRIES;
        }
      };

  public ConstraintCompiler(Vocabulary vocabulary) {
    this.vocabulary = vocabulary;
    plain = new VocabularyTrie(vocabulary);
  }

  /**
   * Compiles a grammar.
   *
   * @throws GrammarException if the grammar needs too many states, or a byte that is in no token
   */
  public Constraint compile(Grammar grammar) {
    return Constraint.compile(grammar, plain);
  }

  /**
   * Compiles a grammar that may use these control tokens, by their texts.
   *
   * @throws GrammarException as {@link #compile(Grammar)}
   */
  public Constraint compile(Grammar grammar, Set<Integer> shownTokens) {
    return Constraint.compile(grammar, trie(shownTokens));
  }

  private VocabularyTrie trie(Set<Integer> shown) {
    if (shown.isEmpty()) {
      return plain;
    }
    synchronized (tries) {
      return tries.computeIfAbsent(
          Set.copyOf(shown), tokens -> new VocabularyTrie(vocabulary, tokens));
    }
  }
}
