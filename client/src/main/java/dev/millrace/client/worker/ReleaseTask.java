package dev.millrace.client.worker;

/** A handler throws this to return its task to the queue; costs no attempt. */
public final class ReleaseTask extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ReleaseTask(String reason) {
    super(reason);
  }
}
