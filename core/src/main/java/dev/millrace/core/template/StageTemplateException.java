package dev.millrace.core.template;

/** A placeholder that cannot be resolved; the message names it. */
public final class StageTemplateException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StageTemplateException(String message) {
    super(message);
  }
}
