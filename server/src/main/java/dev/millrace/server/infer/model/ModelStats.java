package dev.millrace.server.infer.model;

import dev.millrace.engine.api.WheelStats;

/**
 * The counters of a loaded generating model since it was loaded, and what it holds now.
 *
 * @param slots sequences that its batch can hold
 * @param wheel the counters of its scheduler
 */
public record ModelStats(String model, int slots, WheelStats wheel) {

  /** Sequences in the batch. */
  public int running() {
    return wheel.admitted();
  }

  /** Sequences that wait for a slot in the batch. */
  public int waiting() {
    return wheel.waiting();
  }

  /** Batches that were run. */
  public long batches() {
    return wheel.turns();
  }

  /** Tokens in all batches. */
  public long batchTokens() {
    return wheel.prefillTokens() + wheel.decodeTokens();
  }

  /** Tokens that were generated. */
  public long chosenTokens() {
    return wheel.chosenTokens();
  }

  /** Tokens of prompts that were computed, also again after a preemption. */
  public long promptTokens() {
    return wheel.prefillTokens();
  }

  public long preemptions() {
    return wheel.preemptions();
  }

  /** Pages of the KV cache that running sequences use. */
  public int pagesUsed() {
    return wheel.pagesUsed();
  }

  /** Pages of the KV cache that are kept for prompts with the same prefix. */
  public int pagesCached() {
    return wheel.pagesCached();
  }

  public int pagesFree() {
    return wheel.pagesFree();
  }
}
