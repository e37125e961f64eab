package dev.millrace.client.worker;

/** Thrown by a handler: another worker, or a later time, is better; it costs no attempt. */
public final class ReleaseTask extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ReleaseTask(String reason) {
    super(reason);
  }
}
