/**
 * Template text to tree: {@link JinjaLexer} cuts the text into {@link JinjaToken}s, {@link
 * JinjaParser} builds {@link Statement}s, {@link ExpressionParser} and {@link OperandParser} build
 * {@link Expression}s. Filters, tests and tags that are not supported are refused here, by name and
 * line. Start at {@link JinjaParser}.
 */
@NullMarked
package dev.millrace.engine.internal.jinja.parse;

import org.jspecify.annotations.NullMarked;
