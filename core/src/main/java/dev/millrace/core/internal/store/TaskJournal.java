package dev.millrace.core.internal.store;

import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import org.jspecify.annotations.Nullable;

/**
 * What a task has journaled under its present terms.
 *
 * @param output all of it, with a text for each token
 * @param last the last claim that wrote to it
 * @param grew whether that claim added tokens
 * @param waits whether that claim has said last that it waits
 */
public record TaskJournal(
    OutputChunk output, @Nullable FencingToken last, boolean grew, boolean waits) {
  public static final TaskJournal EMPTY = new TaskJournal(OutputChunk.EMPTY, null, false, false);
}
