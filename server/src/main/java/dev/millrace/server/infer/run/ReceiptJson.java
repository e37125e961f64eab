package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.GenerationUsage;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** The receipt of a result: model, parameters, token counts and timings. */
final class ReceiptJson {
  private ReceiptJson() {}

  /**
   * The receipt of a generated text.
   *
   * @param resumed the number of tokens of earlier attempts that it resumed from
   * @param thoughts the thoughts of the model before its answer; may be empty
   */
  static JsonObject of(
      FrozenTerms terms,
      GenerationResult result,
      String finishReason,
      int resumed,
      String thoughts) {
    GenerationUsage usage = result.usage();
    JsonObject receipt =
        JsonObject.create()
            .put("model", terms.model().name())
            .put("model_sha256", terms.model().sha256())
            .put("numerics", (long) terms.model().numerics())
            .put("prompt_tokens", (long) usage.promptTokens())
            .put("cached_tokens", (long) usage.cachedTokens())
            .put("completion_tokens", (long) result.tokens().length)
            .put("finish_reason", finishReason)
            .putIfPresent("stop", result.stop())
            .put("seed", terms.parameters().seed())
            .put("parameters", terms.parameters().toJson().values())
            .putIfPresent("resumed", resumed == 0 ? null : (long) resumed)
            .put("timings", timings(usage, result.tokens().length - resumed).values());
    return receipt.putIfPresent("thoughts", thoughts.isEmpty() ? null : thoughts);
  }

  private static JsonObject timings(GenerationUsage usage, int generatedHere) {
    JsonObject timings =
        JsonObject.create()
            .put("wait_ms", millis(usage.waitNanos()))
            .put("prefill_ms", millis(usage.prefillNanos()))
            .put("decode_ms", millis(usage.decodeNanos()));
    boolean measured = usage.decodeNanos() > 0 && generatedHere > 1;
    return timings.putIfPresent(
        "tokens_per_second", // the first token belongs to the prefill
        measured ? rounded((generatedHere - 1) * 1e9 / usage.decodeNanos(), 2) : null);
  }

  static BigDecimal millis(long nanos) {
    return rounded(nanos / 1e6, 3);
  }

  private static BigDecimal rounded(double value, int digits) {
    return BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_EVEN);
  }
}
