package dev.millrace.engine.grammar;

import dev.millrace.engine.EngineException;

/** A grammar or schema that cannot be honoured. The message names the place and the rule. */
public final class GrammarException extends EngineException {
  GrammarException(String message) {
    super(message);
  }
}
