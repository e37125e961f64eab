package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.SequenceGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the examiner, if there is one, what becomes of the sequences that it has chosen, and keeps
 * those that have all their tokens and wait for its verdict. These have no pages and no slot.
 */
final class AuditTracker {
  private final @Nullable AuditHook examiner;
  private final Consumer<Runnable> later;
  private final List<Held> held = new ArrayList<>();

  /** One that waits for the verdict, with the place that it had and how it would end. */
  private record Held(Sequence sequence, PipeAdmission place, long epoch, FinishReason finish) {}

  /** What follows a verdict: the sequence ends so, for that reason. */
  interface VerdictHandler {
    void end(Sequence sequence, FinishReason finish, String reason);
  }

  /**
   * @param later runs something on the wheels' thread; for any thread
   */
  AuditTracker(@Nullable AuditHook examiner, Consumer<Runnable> later) {
    this.examiner = examiner;
    this.later = later;
  }

  void selectForAudit(Sequence sequence) {
    // nodes note all of them alike: one that knew which are looked at could lie about the others
    sequence.recorded = examiner != null;
    sequence.audited = examiner != null && examiner.shouldAudit(sequence.arrival);
  }

  int awaitingVerdictCount() {
    return held.size();
  }

  /** Those that wait for their verdict. */
  List<Sequence> awaitingVerdict() {
    return held.stream().map(Held::sequence).toList();
  }

  /** The group is with another node now. */
  void groupSent(int pipe, SequenceGroup group) {
    if (examiner != null) {
      rows(pipe, group, examiner::rowSent);
    }
  }

  /** The group's hidden states are those that came back. */
  void groupReturned(int pipe, SequenceGroup group) {
    if (examiner != null) {
      rows(pipe, group, examiner::rowReturned);
    }
  }

  private interface Sight {
    void of(int pipe, long passage, int position, float[] hidden, int offset);
  }

  private static void rows(int pipe, SequenceGroup group, Sight sight) {
    Batch batch = group.batch;
    for (int row = 0; row < batch.rows; row++) {
      Sequence sequence = (Sequence) group.sequence(batch.runOf[row]);
      if (sequence.audited) {
        long passage = sequence.passage();
        sight.of(pipe, passage, batch.position[row], batch.hidden, row * batch.width);
      }
    }
  }

  /** A sequence gave its place up before it was complete. */
  void sequenceDropped(int pipe, Sequence sequence) {
    if (examiner != null && sequence.audited) {
      examiner.sequenceDropped(pipe, sequence.passage());
    }
  }

  /** Holds the end of a sequence that has left its place, until the verdict. */
  void holdForVerdict(
      Sequence sequence,
      PipeAdmission place,
      int positions,
      FinishReason finish,
      VerdictHandler judged) {
    if (examiner == null) {
      throw new IllegalStateException("nobody would judge sequence " + sequence.arrival);
    }
    Held waiting = new Held(sequence, place, place.epoch(), finish);
    held.add(waiting);
    examiner.sequenceEnded(
        place.pipe(),
        waiting.epoch(),
        sequence.passage(),
        positions,
        reason -> later.accept(() -> judge(waiting, reason, judged)));
  }

  private void judge(Held waiting, @Nullable String reason, VerdictHandler judged) {
    if (held.remove(waiting)) { // else it was cancelled meanwhile, or judged before
      waiting.place().forget(waiting.sequence(), waiting.epoch());
      boolean right = reason == null;
      judged.end(
          waiting.sequence(), right ? waiting.finish() : FinishReason.REVOKED, right ? "" : reason);
    }
  }

  /** The sequence ends without a verdict, if it waits for one; says whether it did. */
  boolean stopWaiting(Sequence sequence) {
    for (int i = 0; i < held.size(); i++) {
      Held waiting = held.get(i);
      if (waiting.sequence() == sequence) {
        held.remove(i);
        waiting.place().forget(sequence, waiting.epoch());
        sequenceDropped(waiting.place().pipe(), sequence);
        return true;
      }
    }
    return false;
  }
}
