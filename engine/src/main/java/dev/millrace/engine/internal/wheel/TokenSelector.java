package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.token.Vocabulary;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Takes sequences one token further, and says whether that was the last. */
final class TokenSelector {
  private final Vocabulary vocabulary;
  private final int logitCount;
  private final LongSupplier clock;

  TokenSelector(Vocabulary vocabulary, int logitCount, LongSupplier clock) {
    this.vocabulary = vocabulary;
    this.logitCount = logitCount;
    this.clock = clock;
  }

  /** The token that follows by these logits. */
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

  /** Whether the token ends the sequence and is not to be part of it. */
  boolean isEnd(Sequence sequence, int token) {
    return !sequence.request.ignoreEnd() && vocabulary.isEnd(token);
  }

  /** Makes the token part of the sequence; gives the text that may be shown now. */
  String accept(Sequence sequence, int token) {
    sequence.append(token);
    constrain(sequence, token);
    return sequence.text.push(token);
  }

  /**
   * Brings a sequence to where its prior tokens lead, which were told of before; notes where that
   * completes it.
   */
  void replay(Sequence sequence) {
    for (int token : sequence.request.prior()) {
      if (sequence.alreadyFinished != null) {
        throw new EngineException(
            "request: prior tokens go on after the generation was complete (%s); they are not of this request"
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

  /** Why nothing may follow; null while more are to. */
  @Nullable FinishReason finish(Sequence sequence) {
    FinishReason stopped = stopped(sequence);
    return stopped == null && sequence.isFull() ? FinishReason.LENGTH : stopped;
  }

  private static @Nullable FinishReason stopped(Sequence sequence) {
    boolean finished = sequence.constraint != null && sequence.constraint.mustEnd();
    return finished || sequence.text.isStopped() ? FinishReason.STOP : null;
  }
}
