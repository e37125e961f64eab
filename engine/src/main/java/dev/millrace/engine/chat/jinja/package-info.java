/**
 * The part of the Jinja2 language that chat templates are written in, rendered as Python's jinja2
 * does in the sandbox that Hugging Face transformers sets up: {@link
 * dev.millrace.engine.chat.jinja.Template} reads a template into a tree ({@code Lexer}, {@code
 * Parser}) and walks it ({@code Renderer}, {@code Evaluator}) within {@link
 * dev.millrace.engine.chat.jinja.Limits}.
 *
 * <p>Values inside are Python's: {@code None}, Boolean, Long or BigInteger, Double, String, List,
 * {@code Tuple}, Map, and what only a template can make.
 */
@NullMarked
package dev.millrace.engine.chat.jinja;

import org.jspecify.annotations.NullMarked;
