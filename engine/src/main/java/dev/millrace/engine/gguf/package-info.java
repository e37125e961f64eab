/** GGUF files: parsed, validated, read through a channel, written; no inference. */
@NullMarked
package dev.millrace.engine.gguf;

import org.jspecify.annotations.NullMarked;
