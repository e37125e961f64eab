/**
 * Completions of raw prompts: {@link dev.millrace.http.openai.completion.CompletionRoutes} answers
 * them, whole or as a stream.
 */
@NullMarked
package dev.millrace.http.openai.completion;

import org.jspecify.annotations.NullMarked;
