package dev.millrace.engine.api;

/**
 * What a wheel has done and holds, each figure of its own moment.
 *
 * @param turns in which a batch was run
 * @param prefillTokens computed of prompts, and anew after a preemption
 * @param decodeTokens computed one by one
 * @param chosenTokens sampled
 * @param prefixHits admissions that found a part of their tokens computed
 * @param reusedTokens that had not to be computed because of that
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

  /** Tokens in a turn, on average. */
  public double rowsPerTurn() {
    return turns == 0 ? 0 : (double) (prefillTokens + decodeTokens) / turns;
  }
}
