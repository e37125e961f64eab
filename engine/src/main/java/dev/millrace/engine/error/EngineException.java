package dev.millrace.engine.error;

/**
 * Something that a caller asked of the engine cannot be done. The message says what, why, and what
 * to do.
 */
public class EngineException extends RuntimeException {
  public EngineException(String message) {
    super(message);
  }

  public EngineException(String message, Throwable cause) {
    super(message, cause);
  }
}
