package dev.millrace.core.internal.count;

import dev.millrace.core.store.stats.StatusCounts.QueueGroup;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a job adds, as group numbers and counts in turn. Jobs that add the same share one. */
final class SharedCounts {
  final int[] pairs;

  /** Where its tasks wait. */
  final Set<QueueGroup> queues;

  /** How many jobs share it. */
  int jobs;

  SharedCounts(int[] pairs, Set<QueueGroup> queues) {
    this.pairs = pairs;
    this.queues = queues;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SharedCounts shape && Arrays.equals(shape.pairs, pairs);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(pairs);
  }
}
