/**
 * Commands that use a model in this process, without a queue: {@code run} (one prompt, one answer),
 * {@code tokenize} and {@code bench}. Start at {@link RunCommand}.
 */
@NullMarked
package dev.millrace.cli.run;

import org.jspecify.annotations.NullMarked;
