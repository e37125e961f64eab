package dev.millrace.bench.model;

/**
 * What a contender did.
 *
 * @param tokens generated
 * @param reused tokens of prompts that had not to be computed
 */
public record WorkloadResult(long tokens, long nanos, long reusedTokens) {
  public double perSecond() {
    return tokens * 1e9 / nanos;
  }

  public double seconds() {
    return nanos / 1e9;
  }
}
