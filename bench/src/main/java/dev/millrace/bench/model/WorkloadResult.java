package dev.millrace.bench.model;

/**
 * The measurement of a workload.
 *
 * @param tokens generated
 * @param reusedTokens prompt tokens that came from the cache
 */
public record WorkloadResult(long tokens, long nanos, long reusedTokens) {
  public double perSecond() {
    return tokens * 1e9 / nanos;
  }

  public double seconds() {
    return nanos / 1e9;
  }
}
