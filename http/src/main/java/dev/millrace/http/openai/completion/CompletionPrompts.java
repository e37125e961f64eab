package dev.millrace.http.openai.completion;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.openai.request.TokenIds;
import dev.millrace.http.route.Problem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the prompts of a request: a text, texts, the ids of tokens, or lists of ids. */
final class CompletionPrompts {
  private CompletionPrompts() {}

  /**
   * The parameters of a generate task that are the prompt, for each prompt.
   *
   * @throws Problem if a prompt is empty
   */
  static List<JsonObject> of(@Nullable Object prompt) {
    List<JsonObject> prompts = new ArrayList<>();
    if (prompt instanceof List<?> list && !(list.getFirst() instanceof Number)) {
      list.forEach(each -> prompts.add(one(each, "prompt[" + prompts.size() + "]")));
    } else {
      prompts.add(one(prompt, "prompt"));
    }
    return prompts;
  }

  private static JsonObject one(@Nullable Object prompt, String at) {
    if ("".equals(prompt)) {
      throw OpenAiError.invalid(at, "must not be empty");
    }
    return prompt instanceof List<?> ids
        ? JsonObject.create().put("prompt_tokens", ids)
        : JsonObject.create().put("prompt", prompt).put("raw", true);
  }

  /** The ids of a prompt of tokens; null if it is a text. */
  static int @Nullable [] tokens(JsonObject prompt) {
    return prompt.has("prompt_tokens") ? TokenIds.of(prompt.list("prompt_tokens")) : null;
  }
}
