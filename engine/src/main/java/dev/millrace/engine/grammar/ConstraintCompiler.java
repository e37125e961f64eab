package dev.millrace.engine.grammar;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import dev.millrace.engine.token.Vocabulary;

/** Compiles grammars for one vocabulary; make it once for a model. */
public final class ConstraintCompiler {
  private final VocabularyTrie trie;

  public ConstraintCompiler(Vocabulary vocabulary) {
    trie = new VocabularyTrie(vocabulary);
  }

  /**
   * Compiles a grammar.
   *
   * @throws GrammarException if the grammar needs too many states, or a byte that is in no token
   */
  public Constraint compile(Grammar grammar) {
    return Constraint.compile(grammar, trie);
  }
}
