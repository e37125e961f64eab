package dev.millrace.engine.error;

/**
 * A template cannot be read or rendered, or it refused its input by {@code raise_exception}. The
 * message names the line where it is known.
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

  /** The complaint without its place; for a refusal by the template itself, exactly its message. */
  public String reason() {
    return what;
  }

  /** The line of the template, from 1; 0 where none is known. */
  public int line() {
    return line;
  }

  /**
   * The template itself refused its input, by {@code raise_exception}: the caller's messages are at
   * fault, not the template.
   */
  public boolean raised() {
    return raised;
  }

  /** The same complaint with its place; the innermost place stays. */
  public ChatTemplateException at(int line) {
    return this.line > 0 ? this : new ChatTemplateException(what, line, raised);
  }
}
