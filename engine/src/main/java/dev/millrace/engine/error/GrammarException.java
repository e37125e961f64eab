package dev.millrace.engine.error;

/**
 * A grammar or schema that is not supported or not valid. The message names the location and the
 * rule.
 */
public class GrammarException extends EngineException {
  public GrammarException(String message) {
    super(message);
  }
}
