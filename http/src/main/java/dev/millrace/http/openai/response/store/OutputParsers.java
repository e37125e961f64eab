package dev.millrace.http.openai.response.store;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.AssistantOutputParser;

/** Makes parsers for outputs that are stored. */
@FunctionalInterface
public interface OutputParsers {
  /**
   * @param terms that a worker froze for the output
   * @param data the parameters of the task
   */
  AssistantOutputParser parser(JsonObject terms, JsonObject data);
}
