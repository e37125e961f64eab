package dev.millrace.engine.error;

/** A grammar or schema that cannot be honoured. The message names the place and the rule. */
public final class GrammarException extends EngineException {
  public GrammarException(String message) {
    super(message);
  }
}
