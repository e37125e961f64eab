package dev.millrace.engine.api;

/**
 * Counters and gauges of a scheduler. Each number is read at its own moment.
 *
 * @param turns turns that ran a batch
 * @param prefillTokens tokens of prompts that were computed, also again after a preemption
 * @param decodeTokens tokens that were computed one by one
 * @param chosenTokens tokens that were sampled
 * @param prefixHits admissions that found part of their tokens in the cache
 * @param reusedTokens tokens that these admissions did not have to compute
 */
public record WheelStats(
    long turns,
    long prefillTokens,
    long decodeTokens,
    long chosenTokens,
    long preemptions,
    long prefixHits,
    long reusedTokens,
    long ended,
    int waiting,
    int admitted,
    int pagesUsed,
    int pagesCached,
    int pagesFree) {

  /** The average number of tokens in a turn. */
  public double rowsPerTurn() {
    return turns == 0 ? 0 : (double) (prefillTokens + decodeTokens) / turns;
  }
}
