package dev.millrace.engine.error;

/** A grammar or schema that needs more than a limit allows. The message names the limit. */
public final class GrammarLimitException extends GrammarException {
  public GrammarLimitException(String message) {
    super(message);
  }
}
