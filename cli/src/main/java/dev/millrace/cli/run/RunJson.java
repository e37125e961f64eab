package dev.millrace.cli.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.GenerationUsage;
import dev.millrace.engine.chat.ReasoningSplitter;
import java.util.Arrays;
import java.util.Locale;

/** The JSON that {@code millrace run --json} prints. */
final class RunJson {
  private RunJson() {}

  static JsonObject of(
      String model, RunPrompt conversation, GenerationResult result, SamplingOptions sampling) {
    GenerationUsage usage = result.usage();
    int prompt = conversation.tokens().length;
    ReasoningSplitter.Parts parts = conversation.parts(result.text());
    return JsonObject.create()
        .put("text", parts.answer())
        .putIfPresent("reasoning", parts.reasoning().isEmpty() ? null : parts.reasoning())
        .put("tokens", Arrays.stream(result.tokens()).boxed().toList())
        .put("finish_reason", result.finish().name().toLowerCase(Locale.ROOT))
        .putIfPresent("stop", result.stop())
        .put(
            "usage",
            JsonObject.create()
                .put("prompt_tokens", prompt)
                .put("completion_tokens", usage.generatedTokens())
                .put("total_tokens", prompt + usage.generatedTokens()))
        .put("model", model)
        .put("seed", sampling.sampling().seed())
        .put("temperature", sampling.sampling().temperature())
        .put(
            "timings",
            JsonObject.create()
                .put("prefill_ms", usage.prefillNanos() / 1_000_000)
                .put("decode_ms", usage.decodeNanos() / 1_000_000));
  }
}
