package dev.millrace.http.openai.response.stream;

import dev.millrace.core.json.JsonObject;

/** Takes events in their order and numbers them. */
@FunctionalInterface
interface EventSink {
  /**
   * @param type without the prefix {@code response.}
   */
  void emit(String type, JsonObject fields);
}
