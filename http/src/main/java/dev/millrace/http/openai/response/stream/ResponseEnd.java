package dev.millrace.http.openai.response.stream;

import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * How a response ended.
 *
 * @param status a final one
 * @param completedAt in seconds since 1970
 * @param error why it failed; null if it did not
 * @param usage null if it is not known
 */
public record ResponseEnd(
    ResponseStatus status, long completedAt, @Nullable Error error, @Nullable Usage usage) {
  public ResponseEnd {
    if (!status.isFinal() || (status == ResponseStatus.FAILED) != (error != null)) {
      throw new IllegalArgumentException("no end: " + status + ", error " + error);
    }
  }

  /**
   * Why a response failed.
   *
   * @param code one of OpenAI's, such as {@code server_error}
   */
  public record Error(String code, String message) {
    JsonObject toJson() {
      return JsonObject.create().put("code", code).put("message", message);
    }
  }

  /**
   * The tokens of a response.
   *
   * @param cached those of the input that were in the cache
   * @param reasoning those of the output that are thoughts
   */
  public record Usage(long input, long cached, long output, long reasoning) {
    JsonObject toJson() {
      return JsonObject.create()
          .put("input_tokens", input)
          .put(
              "input_tokens_details",
              JsonObject.create()
                  .put("cached_tokens", cached)
                  .put("cache_write_tokens", 0L)
                  .values())
          .put("output_tokens", output)
          .put(
              "output_tokens_details",
              JsonObject.create().put("reasoning_tokens", reasoning).values())
          .put("total_tokens", input + output);
    }
  }
}
