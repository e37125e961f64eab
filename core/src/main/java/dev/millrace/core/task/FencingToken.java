package dev.millrace.core.task;

/**
 * Identifies a claim: the epoch of the owner that granted it and the number of the claim event in
 * the job's log. An answer with another token than the task's present one changes nothing.
 */
public record FencingToken(long epoch, long number) {
  @Override
  public String toString() {
    return epoch + "." + number;
  }
}
