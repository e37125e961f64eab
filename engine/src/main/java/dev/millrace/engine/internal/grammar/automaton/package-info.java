/**
 * Grammar rules to a pushdown automaton over bytes, and its execution: {@link RuleGraphBuilder} and
 * {@link SubsetConstruction} build deterministic graphs, {@link AutomatonRunner} follows all
 * possible stacks at once ({@link ParseState}), {@link TokenMaskCache} says which tokens of a
 * vocabulary may follow. Start at {@link PushdownAutomaton}.
 */
@NullMarked
package dev.millrace.engine.internal.grammar.automaton;

import org.jspecify.annotations.NullMarked;
