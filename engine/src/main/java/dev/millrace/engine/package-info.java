/**
 * GGUF to tokens: reads the model files that people have and generates text, knowing nothing of
 * jobs.
 */
@NullMarked
package dev.millrace.engine;

import org.jspecify.annotations.NullMarked;
