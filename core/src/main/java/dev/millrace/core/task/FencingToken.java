package dev.millrace.core.task;

/**
 * What fences a claim: the epoch of the owner that granted it and the number of the claim event in
 * its job's log. An answer with any other token than the task's present one changes nothing.
 */
public record FencingToken(long epoch, long number) {
  @Override
  public String toString() {
    return epoch + "." + number;
  }
}
