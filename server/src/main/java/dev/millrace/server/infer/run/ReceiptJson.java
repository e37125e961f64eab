package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.GenerationUsage;
import dev.millrace.server.infer.parameters.OutputReport;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/** The receipt of a result: model, parameters, token counts and timings. */
public final class ReceiptJson {
  private ReceiptJson() {}

  /**
   * The receipt of a generated text.
   *
   * @param output what was recorded of it
   * @param content its thoughts and calls; empty for an output that is not complete
   */
  public static JsonObject of(
      ResolvedTask task,
      GenerationResult result,
      String finishReason,
      OutputRecorder output,
      AnswerContent content) {
    FrozenTerms terms = task.terms();
    GenerationUsage usage = result.usage();
    int resumed = task.prior().tokens().size();
    long reasoning = output.reasoningTokens(task.outputFormat());
    JsonObject receipt =
        JsonObject.create()
            .put("model", terms.model().name())
            .put("model_sha256", terms.model().sha256())
            .put(FrozenTerms.NUMERICS, terms.model().numerics().toJson())
            .putIfPresent(FrozenTerms.SPECIAL_TOKENS, terms.prompt().specialTokensId())
            .put("prompt_tokens", (long) usage.promptTokens())
            .put("cached_tokens", (long) usage.cachedTokens())
            .put("completion_tokens", (long) result.tokens().length)
            .putIfPresent("reasoning_tokens", reasoning == 0 ? null : reasoning)
            .put("finish_reason", finishReason)
            .putIfPresent("stop", result.stop())
            .put("seed", terms.parameters().seed())
            .put("parameters", terms.parameters().toJson().values())
            .putIfPresent("resumed", resumed == 0 ? null : (long) resumed)
            .put("timings", timings(usage, result.tokens().length - resumed).values());
    addReport(receipt, terms, output, result);
    List<Object> calls = content.callsJson();
    return receipt
        .putIfPresent("tool_calls", calls.isEmpty() ? null : calls)
        .putIfPresent("thoughts", content.thoughts().isEmpty() ? null : content.thoughts());
  }

  private static void addReport(
      JsonObject receipt, FrozenTerms terms, OutputRecorder output, GenerationResult result) {
    OutputReport report = terms.parameters().output().report();
    if (report.pieces()) {
      receipt
          .put("pieces", List.copyOf(output.pieces()))
          .putIfPresent("rest", result.rest().isEmpty() ? null : result.rest())
          .putIfPresent("thought_tags", terms.prompt().thoughtTags())
          .putIfPresent("thoughts_opened", terms.prompt().thoughtsOpened());
    }
    if (report.logprobs() != null) {
      receipt.put("logprobs", output.logprobsJson());
    }
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
