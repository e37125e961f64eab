package dev.millrace.http.openai.request;

import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.direct.DirectInference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads and checks the ids of tokens in a request. */
public final class TokenIds {
  private TokenIds() {}

  /** A list of numbers as ids; the OpenAPI document allows no other values in it. */
  public static int[] of(List<?> ids) {
    return ids.stream().mapToInt(id -> id instanceof Number n ? n.intValue() : -1).toArray();
  }

  /**
   * Refuses numbers that are not tokens of a model. Other values are left alone.
   *
   * @param field the name of the list
   * @param model null: the default
   * @throws Problem that names the first such number
   */
  public static void require(
      List<?> ids, String field, DirectInference inference, @Nullable String model) {
    if (ids.stream().noneMatch(Number.class::isInstance)) {
      return; // needs no model
    }
    int size = inference.vocabularySize(model);
    for (int i = 0; i < ids.size(); i++) {
      if (ids.get(i) instanceof Number id && id.longValue() >= size) {
        throw OpenAiError.invalid(
            field + "[" + i + "]",
            "is %d, which is no token: the model has 0 to %d".formatted(id.longValue(), size - 1));
      }
    }
  }
}
