/**
 * The part of the Jinja2 language that chat templates are written in, rendered as Python's jinja2
 * does in the sandbox of Hugging Face transformers. A template is parsed into a tree once; each
 * rendering walks the tree within a budget, so that a hostile template ends in an error. Start at
 * {@link JinjaTemplate}; {@link StatementRenderer} executes statements, {@link ExpressionEvaluator}
 * evaluates expressions.
 */
@NullMarked
package dev.millrace.engine.internal.jinja;

import org.jspecify.annotations.NullMarked;
