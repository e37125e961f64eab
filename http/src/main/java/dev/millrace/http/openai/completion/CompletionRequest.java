package dev.millrace.http.openai.completion;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.request.GenerateData;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.direct.DirectRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request for completions of raw prompts, translated.
 *
 * @param prompts the parameters that are the prompt, for each prompt
 * @param data the other parameters of a generate task
 * @param n how many choices to make for each prompt
 * @param logprobs how many alternatives of each token the answer has; null: no log probabilities
 * @param echo whether the text of a choice begins with its prompt
 */
record CompletionRequest(
    List<JsonObject> prompts,
    JsonObject data,
    int n,
    @Nullable Integer logprobs,
    boolean echo,
    boolean stream,
    boolean includeUsage,
    String tier) {
  private static final long DEFAULT_TOKENS = 16;

  /** The most choices of a request. */
  private static final int MAX_CHOICES = 128;

  /**
   * @throws Problem that names a field which cannot be honoured
   */
  static CompletionRequest of(JsonObject body) {
    int n = (int) body.integer("n", 1);
    List<JsonObject> prompts = CompletionPrompts.of(body.get("prompt"));
    refuse(body, n, prompts.size());
    JsonObject data = GenerateData.of(body);
    Object most = GenerateData.oneOf(body, List.of("max_tokens", "n_predict"));
    data.put("max_tokens", most == null ? DEFAULT_TOKENS : most);
    Integer logprobs = body.has("logprobs") ? (int) body.integer("logprobs") : null;
    data.putIfPresent("logprobs", logprobs);
    return new CompletionRequest(
        prompts,
        data,
        n,
        logprobs,
        body.flag("echo", false),
        body.flag("stream", false),
        GenerateData.includesUsage(body),
        GenerateData.tier(body));
  }

  private static void refuse(JsonObject body, int n, int prompts) {
    if ((long) n * prompts > MAX_CHOICES) {
      throw OpenAiError.invalid(
          "prompt", "asks for %d choices; at most %d".formatted((long) n * prompts, MAX_CHOICES));
    }
    if (!body.string("suffix", "").isEmpty()) {
      throw OpenAiError.unsupported("suffix", "is not supported: write the text around the gap");
    }
    long best = body.integer("best_of", n);
    if (best != n && !(best == 0 && n == 1)) {
      throw OpenAiError.unsupported(
          "best_of", "must be n, which is " + n + ": all choices are returned");
    }
    if (body.flag("echo", false) && body.has("logprobs")) {
      throw OpenAiError.unsupported(
          "echo", "excludes logprobs: a prompt's own log probabilities are not computed");
    }
  }

  int choiceCount() {
    return prompts.size() * n;
  }

  /** One request for each choice: those of the first prompt come first. */
  List<DirectRequest> choices(Instant now) {
    List<DirectRequest> choices = new ArrayList<>();
    for (JsonObject prompt : prompts) {
      for (int i = 0; i < n; i++) {
        JsonObject all = JsonObject.create();
        data.values().forEach(all::put);
        prompt.values().forEach(all::put);
        choices.add(new DirectRequest(all, i, now, tier.equals("default")));
      }
    }
    return choices;
  }
}
