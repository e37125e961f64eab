/**
 * The rules of a grammar: a {@link RuleExpression} for each name, checked by {@link
 * GrammarAnalysis} (no missing rule, no left recursion, a root that can be completed), the GBNF
 * parser, and the rules for JSON. Start at {@link GrammarRules}.
 */
@NullMarked
package dev.millrace.engine.internal.grammar;

import org.jspecify.annotations.NullMarked;
