package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.GenerationUsage;
import dev.millrace.engine.internal.pipe.PipeProcessor;

/** Puts together what a sequence came to. */
final class ResultBuilder {
  private ResultBuilder() {}

  static GenerationResult of(Sequence sequence, FinishReason finish, String reason, long now) {
    // what may still become a stop string is shown only where nothing can follow
    boolean complete = finish == FinishReason.STOP || finish == FinishReason.LENGTH;
    String rest = "";
    String trouble = null;
    try {
      rest = complete ? sequence.text.flush() : "";
    } catch (RuntimeException e) {
      trouble = PipeProcessor.reason(e);
    }
    EmittedTokens given = sequence.emitted();
    return new GenerationResult(
        trouble == null ? finish : FinishReason.FAILED,
        trouble == null ? reason : trouble,
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
