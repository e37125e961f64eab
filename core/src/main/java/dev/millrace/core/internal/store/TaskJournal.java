package dev.millrace.core.internal.store;

import dev.millrace.core.task.FencingToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a task has journaled under its present terms.
 *
 * @param last the last claim that wrote to it
 * @param grew whether that claim added tokens
 * @param waits whether that claim has said last that it waits
 */
public record TaskJournal(
    List<Integer> tokens, @Nullable FencingToken last, boolean grew, boolean waits) {
  public static final TaskJournal EMPTY = new TaskJournal(List.of(), null, false, false);
}
