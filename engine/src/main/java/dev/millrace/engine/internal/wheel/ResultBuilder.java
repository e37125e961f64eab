package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.GenerationUsage;
import dev.millrace.engine.internal.pipe.PipeProcessor;

/** Builds the result of a sequence. */
final class ResultBuilder {
  private ResultBuilder() {}

  static GenerationResult of(Sequence sequence, FinishReason finish, String reason, long now) {
    // text that could still become a stop string is shown only if nothing can follow
    boolean complete = finish == FinishReason.STOP || finish == FinishReason.LENGTH;
    String rest = "";
    String problem = null;
    try {
      rest = complete ? sequence.text.flush() : "";
    } catch (RuntimeException e) {
      problem = PipeProcessor.reason(e);
    }
    EmittedTokens given = sequence.emitted();
    return new GenerationResult(
        problem == null ? finish : FinishReason.FAILED,
        problem == null ? reason : problem,
        sequence.refused,
        given.tokens(),
        given.text(),
        rest,
        sequence.text.stop(),
        usage(sequence, given.count(), now));
  }

  private static GenerationUsage usage(Sequence sequence, int generated, long now) {
    boolean admitted = sequence.cachedTokens >= 0;
    long admittedAt = admitted ? sequence.admittedAt : now;
    long firstAt = sequence.firstTokenAt == 0 ? now : sequence.firstTokenAt;
    return new GenerationUsage(
        sequence.request.prompt().length,
        Math.max(0, sequence.cachedTokens),
        generated,
        sequence.preemptions,
        admittedAt - sequence.submittedAt,
        firstAt - admittedAt,
        now - firstAt);
  }
}
