/**
 * The entry points of the engine: it opens a GGUF file and generates text or embeddings. It knows
 * nothing of jobs. Start at {@link Engine}. The values that the entry points take and return are in
 * {@code dev.millrace.engine.api}, the exceptions in {@code dev.millrace.engine.error}.
 */
@NullMarked
package dev.millrace.engine;

import org.jspecify.annotations.NullMarked;
