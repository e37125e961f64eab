package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where stop strings end the output: in the text of the answer, not in what comes before or after
 * it.
 *
 * @param thoughts they, and white space around them, are not searched; null: the output has no
 *     thoughts, or they are searched like the answer
 * @param calls texts that begin a call: once the constraint of the request holds, nothing from such
 *     a text on is searched
 */
public record StopScope(@Nullable ThoughtTags thoughts, List<String> calls) {
  /** The whole output is searched. */
  public static final StopScope OUTPUT = new StopScope(null, List.of());

  public StopScope {
    calls = List.copyOf(calls);
    if (calls.contains("")) {
      throw new EngineException("request: a text that begins a call is empty");
    }
  }
}
