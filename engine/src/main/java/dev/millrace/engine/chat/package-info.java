/**
 * Chat templates: messages become the prompt that a model was trained on, and the model's reasoning
 * is separated from its answer. The template language is Jinja, implemented in {@code
 * dev.millrace.engine.internal.jinja}. Start at {@link ChatTemplate}; {@link ReasoningSplitter}
 * handles the output.
 */
@NullMarked
package dev.millrace.engine.chat;

import org.jspecify.annotations.NullMarked;
