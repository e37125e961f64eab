package dev.millrace.server.infer.model;

import dev.millrace.engine.api.WheelStats;

/** Invented statistics of a model, for tests of what shows them. */
public final class ModelStatsFixture {
  private ModelStatsFixture() {}

  /**
   * Model "tiny" with 6 of 8 slots in use, 2 sequences waiting, 10 batches of 55 tokens in all, 1
   * preemption, and a cache of 30 used, 10 cached and 60 free pages.
   */
  public static ModelStats tiny() {
    return new ModelStats("tiny", 8, new WheelStats(10, 50, 5, 5, 1, 0, 0, 0, 2, 6, 30, 10, 60));
  }
}
