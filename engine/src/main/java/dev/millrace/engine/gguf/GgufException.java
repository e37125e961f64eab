package dev.millrace.engine.gguf;

import dev.millrace.engine.error.EngineException;

/**
 * A file is not the GGUF that we can use. The message says which file, where in it, and what rule
 * it breaks.
 */
public final class GgufException extends EngineException {
  public GgufException(String message) {
    super(message);
  }

  public GgufException(String message, Throwable cause) {
    super(message, cause);
  }
}
