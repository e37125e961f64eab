/**
 * What a GGUF file says a model is: architecture, shape, attention, rotary positions, feed-forward
 * network. Metadata are read with llama.cpp's keys and defaults and are compared with the tensors
 * of the file; whatever does not fit is refused. Start at {@link ModelConfig}.
 */
@NullMarked
package dev.millrace.engine.internal.config;

import org.jspecify.annotations.NullMarked;
