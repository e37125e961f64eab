package dev.millrace.bench;

/**
 * What a contender did.
 *
 * @param tokens generated
 * @param reused tokens of prompts that had not to be computed
 */
record Measured(long tokens, long nanos, long reused) {
  double perSecond() {
    return tokens * 1e9 / nanos;
  }

  double seconds() {
    return nanos / 1e9;
  }
}
