/**
 * The tokenizer of a model: text to token ids and back, with the ids that llama.cpp gives. A {@link
 * Vocabulary} is the list of a model's tokens; a {@link TokenDecoder} turns generated tokens into
 * text piece by piece. Start at {@link Tokenizer}.
 */
@NullMarked
package dev.millrace.engine.token;

import org.jspecify.annotations.NullMarked;
