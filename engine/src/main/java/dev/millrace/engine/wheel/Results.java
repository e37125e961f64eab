package dev.millrace.engine.wheel;

import dev.millrace.engine.pipe.PipeProcessor;

/** Puts together what a sequence came to. */
final class Results {
  private Results() {}

  static Result of(Sequence sequence, Finish finish, String reason, long now) {
    // what may still become a stop string is shown only where nothing can follow
    boolean complete = finish == Finish.STOP || finish == Finish.LENGTH;
    String rest = "";
    String trouble = null;
    try {
      rest = complete ? sequence.text.flush() : "";
    } catch (RuntimeException e) {
      trouble = PipeProcessor.reason(e);
    }
    Given given = sequence.given();
    return new Result(
        trouble == null ? finish : Finish.FAILED,
        trouble == null ? reason : trouble,
        sequence.refused,
        given.tokens(),
        given.text(),
        rest,
        sequence.text.stop(),
        usage(sequence, given.count(), now));
  }

  private static Usage usage(Sequence sequence, int generated, long now) {
    boolean admitted = sequence.cachedTokens >= 0;
    long admittedAt = admitted ? sequence.admittedAt : now;
    long firstAt = sequence.firstTokenAt == 0 ? now : sequence.firstTokenAt;
    return new Usage(
        sequence.request.prompt().length,
        Math.max(0, sequence.cachedTokens),
        generated,
        sequence.preemptions,
        admittedAt - sequence.submittedAt,
        firstAt - admittedAt,
        now - firstAt);
  }
}
