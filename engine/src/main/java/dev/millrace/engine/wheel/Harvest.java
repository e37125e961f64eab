package dev.millrace.engine.wheel;

import dev.millrace.engine.EngineException;
import dev.millrace.engine.pipe.Condition;
import dev.millrace.engine.pipe.Ending;
import dev.millrace.engine.pipe.Group;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.SequenceState;
import dev.millrace.engine.pipe.Walk;
import dev.millrace.engine.wheel.Counters.Figure;
import org.jspecify.annotations.Nullable;

/**
 * What follows a batch: positions are noted as computed, tokens are chosen, sequences end or rest.
 */
final class Harvest {
  /** A node may release a sequence so often in a row; then it has failed. */
  static final int MOST_RELEASES = 8;

  private final PipeProcessor processor;
  private final Admission admission;
  private final PageLedger ledger;
  private final Choosing choosing;
  private final Endings endings;
  private final float[] logits; // (sequence, vocabulary)

  Harvest(Wheels.Shared shared, PipeProcessor processor, Admission admission, PageLedger ledger) {
    this.processor = processor;
    this.admission = admission;
    this.ledger = ledger;
    choosing = shared.choosing();
    endings = shared.endings();
    logits = shared.logits();
  }

  /** Takes all sequences of a group that is back, or was never away, to their next rest. */
  void take(Group group) {
    String trouble = advance(group);
    int row = 0;
    for (int run = 0; run < group.size(); run++) {
      Sequence sequence = (Sequence) group.traveller(run);
      boolean head = sequence.walk().state() == SequenceState.HEAD;
      settle(sequence, head ? row++ : -1, trouble);
    }
  }

  /** Notes what is computed, and computes the logits; gives why those failed, if they did. */
  private @Nullable String advance(Group group) {
    for (int run = 0; run < group.size(); run++) {
      Sequence sequence = (Sequence) group.traveller(run);
      if (sequence.walk().state() != SequenceState.DONE) {
        sequence.advance(group.batch.rowCount[run], ledger);
      }
    }
    try {
      processor.head(group, logits);
      return null;
    } catch (Throwable e) {
      return PipeProcessor.reason(e);
    }
  }

  /** Takes one sequence of a batch to its next rest, or to its end. */
  private void settle(Sequence sequence, int row, @Nullable String trouble) {
    Walk walk = sequence.walk();
    Ending ending = walk.ending();
    if (endings.grant(sequence)) {
      return;
    } else if (ending != null && ending.kind() != Ending.Kind.RELEASED) {
      endings.end(sequence, Finish.FAILED, ending.reason());
    } else if (ending != null) {
      release(sequence, ending.reason());
    } else if (row < 0) {
      progress(sequence);
    } else if (trouble != null) {
      endings.end(sequence, Finish.FAILED, Condition.STEP_FAILED, trouble);
    } else {
      take(sequence, row);
    }
  }

  /** It goes back to the line and is tried again, if it was not too often. */
  private void release(Sequence sequence, String reason) {
    if (++sequence.releases < MOST_RELEASES) {
      admission.giveBack(sequence);
    } else {
      endings.end(sequence, Finish.FAILED, reason);
    }
  }

  private void progress(Sequence sequence) {
    try {
      sequence.listener.progress(sequence.computed(), sequence.known());
    } catch (Throwable e) {
      endings.end(sequence, Finish.FAILED, Condition.UPDATE_UNDELIVERED, undelivered(e));
    }
  }

  private void take(Sequence sequence, int row) {
    int token;
    boolean end;
    String piece;
    String differs;
    try {
      token = choosing.choose(sequence, logits, row * processor.end().vocabulary());
      admission.counters().add(Figure.CHOSEN_TOKENS, 1);
      end = choosing.isEnd(sequence, token);
      differs = sequence.differs(token, end);
      piece = end || differs != null ? "" : choosing.accept(sequence, token);
    } catch (Throwable e) {
      sequence.refused = e instanceof EngineException; // all else may go well another time
      endings.end(sequence, Finish.FAILED, Condition.STEP_FAILED, PipeProcessor.reason(e));
      return;
    }
    if (differs != null) {
      endings.end(sequence, Finish.REVOKED, Condition.STEP_FAILED, differs);
    } else if (end) {
      endings.complete(sequence, Finish.STOP);
    } else {
      tell(sequence, token, piece);
    }
  }

  private void tell(Sequence sequence, int token, String piece) {
    try {
      if (sequence.isNews()) {
        boolean wanted = sequence.request.sampling().logprobs() >= 0;
        sequence.listener.token(token, piece, wanted ? sequence.sampler.logprobs() : null);
      }
    } catch (Throwable e) {
      endings.end(sequence, Finish.FAILED, Condition.UPDATE_UNDELIVERED, undelivered(e));
      return;
    }
    Finish finish = choosing.finish(sequence);
    if (finish == null) {
      sequence.walk().move(Condition.MORE_TOKENS);
    } else {
      endings.complete(sequence, finish);
    }
  }

  private static String undelivered(Throwable e) {
    return "its listener threw: " + PipeProcessor.reason(e);
  }
}
