package dev.millrace.engine.error;

/** The engine cannot do what a caller asked for. The message says what, why, and what to do. */
public class EngineException extends RuntimeException {
  public EngineException(String message) {
    super(message);
  }

  public EngineException(String message, Throwable cause) {
    super(message, cause);
  }
}
