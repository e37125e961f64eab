package dev.millrace.core.internal.move;

import dev.millrace.core.event.Fact.Detail;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Where the results of a job are stored, in two numbers for each: there may be 200,000. */
public final class ResultPositions implements EntryPositions.Positions {
  private final Map<Integer, long[]> byStage = new HashMap<>();

  /** The result of a task is there; {@code length} is above 0. */
  public void put(int stage, int task, long offset, int length) {
    long[] all = byStage.computeIfAbsent(stage, _ -> new long[16]);
    if (2 * task + 1 >= all.length) {
      all = Arrays.copyOf(all, Math.max(2 * all.length, 2 * task + 2));
      byStage.put(stage, all);
    }
    all[2 * task] = offset;
    all[2 * task + 1] = length;
  }

  @Override
  public Detail.Completed of(int stage, int task) {
    long[] all = byStage.get(stage);
    return all == null || 2 * task + 1 >= all.length
        ? new Detail.Completed(0, 0)
        : new Detail.Completed(all[2 * task], (int) all[2 * task + 1]);
  }
}
