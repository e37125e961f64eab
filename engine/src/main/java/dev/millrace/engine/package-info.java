/**
 * GGUF to tokens: opens a model file and generates text or embeddings, knowing nothing of jobs.
 * This package holds the entry points; the values that they take and give are in {@code
 * dev.millrace.engine.api}, the exceptions in {@code dev.millrace.engine.error}. Start at {@link
 * Engine}.
 */
@NullMarked
package dev.millrace.engine;

import org.jspecify.annotations.NullMarked;
