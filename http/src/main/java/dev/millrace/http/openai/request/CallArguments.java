package dev.millrace.http.openai.request;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.http.route.Problem;

/** Checks the arguments of calls that a client sends back. */
public final class CallArguments {
  private CallArguments() {}

  /**
   * @param path of the arguments, for errors
   * @throws Problem if they are neither blank nor the text of a JSON object
   */
  public static void require(String arguments, String path) {
    try {
      if (!arguments.isBlank()) {
        Json.objectLastWins(arguments);
      }
    } catch (JsonException e) {
      throw OpenAiError.invalid(
          path, "must be the text of a JSON object, and is not: " + e.getMessage());
    }
  }
}
