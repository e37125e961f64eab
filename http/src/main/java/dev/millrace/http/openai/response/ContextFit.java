package dev.millrace.http.openai.response;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.openai.response.request.InputTruncation;
import dev.millrace.http.openai.response.request.ResponseRequest;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Checks that an input fits into a model's context before it is stored, and shortens it if the
 * request allows that: nothing is cut silently.
 *
 * @param counter counts the tokens of the prompt of a generate task
 * @param context the most positions of a sequence
 */
record ContextFit(ToIntFunction<JsonObject> counter, int context) {
  /** What a worker keeps free for the output, unless the request wants less. */
  private static final int RESERVED = 64;

  /**
   * The items to use.
   *
   * @throws dev.millrace.http.route.Problem if they do not fit
   */
  List<Map<String, @Nullable Object>> fit(
      ResponseRequest request, List<Map<String, @Nullable Object>> items) {
    int most = context - (int) Math.min(RESERVED, request.maxTokens(RESERVED));
    int tokens = counter.applyAsInt(request.taskData(items));
    if (tokens <= most) {
      return items;
    }
    if (request.truncates()) {
      List<Map<String, @Nullable Object>> shorter =
          InputTruncation.shorten(
              items, some -> counter.applyAsInt(request.taskData(some)) <= most);
      tokens = counter.applyAsInt(request.taskData(shorter));
      if (tokens <= most) {
        return shorter;
      }
    }
    throw OpenAiError.withCode(
        "context_length_exceeded",
        "input",
        "has %d tokens with instructions and tools; this model's maximum context length is %d tokens,"
                .formatted(tokens, context)
            + " of which %d are kept for the output".formatted(context - most));
  }
}
