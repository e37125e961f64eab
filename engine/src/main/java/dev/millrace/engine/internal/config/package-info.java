/**
 * The configuration of a model from its GGUF file: architecture, shape, attention, rotary
 * positions, feed-forward network. Metadata are read with llama.cpp's keys and defaults and are
 * compared with the tensors of the file; anything that does not fit is rejected. Start at {@link
 * ModelConfig}.
 */
@NullMarked
package dev.millrace.engine.internal.config;

import org.jspecify.annotations.NullMarked;
