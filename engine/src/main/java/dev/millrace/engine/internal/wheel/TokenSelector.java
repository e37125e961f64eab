package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.token.Vocabulary;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Chooses and appends the next token of a sequence, and decides whether it was the last. */
final class TokenSelector {
  private final Vocabulary vocabulary;
  private final int logitCount;
  private final LongSupplier clock;

  TokenSelector(Vocabulary vocabulary, int logitCount, LongSupplier clock) {
    this.vocabulary = vocabulary;
    this.logitCount = logitCount;
    this.clock = clock;
  }

  /** Chooses the next token from these logits. */
  int choose(Sequence sequence, float[] logits, int offset) {
    long[] mask = sequence.constraint == null ? null : sequence.constraint.allowed();
    int known = sequence.known();
    int token =
        sequence.sampler.choose(logits, offset, logitCount, mask, sequence.tokens(), known, known);
    if (sequence.firstTokenAt == 0) {
      sequence.firstTokenAt = Math.max(1, clock.getAsLong());
    }
    return token;
  }

  /** Whether the token ends the sequence and is not part of it. */
  boolean isEnd(Sequence sequence, int token) {
    return !sequence.request.ignoreEnd() && vocabulary.isEnd(token);
  }

  /** Appends the token to the sequence; returns the text that may be shown now. */
  String accept(Sequence sequence, int token) {
    sequence.append(token);
    constrain(sequence, token);
    return sequence.text.push(token);
  }

  /**
   * Replays the prior tokens of a sequence, which were emitted before; notes if they complete it.
   */
  void replay(Sequence sequence) {
    for (int token : sequence.request.prior()) {
      if (sequence.alreadyFinished != null) {
        throw new EngineException(
            "request: prior tokens continue after the generation was complete (%s); they are not of this request"
                .formatted(sequence.alreadyFinished));
      }
      constrain(sequence, token);
      sequence.text.push(token);
      sequence.alreadyFinished = stopped(sequence);
    }
    sequence.alreadyFinished = finish(sequence);
  }

  private static void constrain(Sequence sequence, int token) {
    if (sequence.constraint != null && !sequence.constraint.accept(token)) {
      throw new EngineException("constraint: token %d is not allowed here".formatted(token));
    }
  }

  /** Why no token may follow; null if one may. */
  @Nullable FinishReason finish(Sequence sequence) {
    FinishReason stopped = stopped(sequence);
    return stopped == null && sequence.isFull() ? FinishReason.LENGTH : stopped;
  }

  private static @Nullable FinishReason stopped(Sequence sequence) {
    boolean finished = sequence.constraint != null && sequence.constraint.mustEnd();
    return finished || sequence.text.isStopped() ? FinishReason.STOP : null;
  }
}
