package dev.millrace.engine.error;

/**
 * A chat template cannot be read or rendered, or it rejected its input with {@code
 * raise_exception}. The message names the line if it is known.
 */
public final class ChatTemplateException extends EngineException {
  private final String what;
  private final int line;
  private final boolean raised;

  private ChatTemplateException(String what, int line, boolean raised) {
    super(line > 0 ? "chat template, line " + line + ": " + what : "chat template: " + what);
    this.what = what;
    this.line = line;
    this.raised = raised;
  }

  public ChatTemplateException(String what) {
    this(what, 0, false);
  }

  public ChatTemplateException(String what, int line) {
    this(what, line, false);
  }

  public static ChatTemplateException raised(String what) {
    return new ChatTemplateException(what, 0, true);
  }

  /** The problem without its line; for a rejection by the template itself, exactly its message. */
  public String reason() {
    return what;
  }

  /** The line of the template, from 1; 0 if unknown. */
  public int line() {
    return line;
  }

  /**
   * The template itself rejected its input with {@code raise_exception}: the caller's messages are
   * at fault, not the template.
   */
  public boolean raised() {
    return raised;
  }

  /** The same problem with its line; the innermost line stays. */
  public ChatTemplateException at(int line) {
    return this.line > 0 ? this : new ChatTemplateException(what, line, raised);
  }
}
