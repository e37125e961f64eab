package dev.millrace.http.openai.answer;

import dev.millrace.core.json.JsonObject;
import dev.millrace.server.infer.direct.AnswerUsage;

/**
 * Adds up the tokens of all choices of a request. A prompt counts once, however many choices it has;
 * what one of them found in the cache counts as cached. Used by one thread.
 */
public final class UsageTotal {
  private final int choicesPerPrompt;
  private long prompt;
  private long cached;
  private long completion;
  private long reasoning;

  /**
   * @param choicesPerPrompt consecutive choices with the same prompt
   */
  public UsageTotal(int choicesPerPrompt) {
    this.choicesPerPrompt = choicesPerPrompt;
  }

  public void add(int choice, AnswerUsage usage) {
    if (choice % choicesPerPrompt == 0) {
      prompt += usage.promptTokens();
      cached += usage.cachedTokens();
    }
    completion += usage.completionTokens();
    reasoning += usage.reasoningTokens();
  }

  public JsonObject json() {
    return JsonObject.create()
        .put("prompt_tokens", prompt)
        .put("completion_tokens", completion)
        .put("total_tokens", prompt + completion)
        .put(
            "prompt_tokens_details",
            JsonObject.create().put("cached_tokens", cached).put("audio_tokens", 0L))
        .put(
            "completion_tokens_details",
            JsonObject.create()
                .put("reasoning_tokens", reasoning)
                .put("audio_tokens", 0L)
                .put("accepted_prediction_tokens", 0L)
                .put("rejected_prediction_tokens", 0L));
  }
}
