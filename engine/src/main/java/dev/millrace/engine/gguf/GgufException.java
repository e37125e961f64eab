package dev.millrace.engine.gguf;

import dev.millrace.engine.error.EngineException;

/**
 * A file is not a GGUF file that can be used. The message says which file, where in it, and which
 * rule it breaks.
 */
public final class GgufException extends EngineException {
  public GgufException(String message) {
    super(message);
  }

  public GgufException(String message, Throwable cause) {
    super(message, cause);
  }
}
