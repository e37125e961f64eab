package dev.millrace.server.infer;

/**
 * The result of repeating a task.
 *
 * @param same whether the repetition gave the same bytes
 * @param repeated whether there was a repetition at all
 * @param message what differs and where, or why the task cannot be repeated
 */
public record VerifyResult(boolean same, boolean repeated, String message) {

  /** The repetition did not take place, or did not end. */
  public static VerifyResult notRepeated(String why) {
    return new VerifyResult(false, false, why);
  }
}
