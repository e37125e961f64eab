/**
 * What a GGUF file says about itself: its metadata, keys with checked values, and the exception for
 * files that break a rule of the format. The files themselves are read and written in {@code
 * dev.millrace.engine.internal.gguf}. Start at {@link GgufMetadata}.
 */
@NullMarked
package dev.millrace.engine.gguf;

import org.jspecify.annotations.NullMarked;
