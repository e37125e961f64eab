package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.SequenceGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports audited sequences to the audit hook, if there is one, and holds those that have all their
 * tokens and wait for its verdict. These have no pages and no slot.
 */
final class AuditTracker {
  private final @Nullable AuditHook auditHook;
  private final Consumer<Runnable> later;
  private final List<Held> held = new ArrayList<>();

  /** A sequence that waits for the verdict, with its former slot and its pending end. */
  private record Held(
      Sequence sequence, PipeAdmission admission, long epoch, FinishReason finish) {}

  /** Ends a sequence after its verdict. */
  interface VerdictHandler {
    void end(Sequence sequence, FinishReason finish, String reason);
  }

  /** @param later runs a task on the scheduler's thread; any thread may call it */
  AuditTracker(@Nullable AuditHook auditHook, Consumer<Runnable> later) {
    this.auditHook = auditHook;
    this.later = later;
  }

  void selectForAudit(Sequence sequence) {
    // nodes record all sequences alike: a node that knew the audited ones could cheat on the
    // others
    sequence.recorded = auditHook != null;
    sequence.audited = auditHook != null && auditHook.shouldAudit(sequence.arrival);
  }

  int awaitingVerdictCount() {
    return held.size();
  }

  /** The sequences that wait for their verdict. */
  List<Sequence> awaitingVerdict() {
    return held.stream().map(Held::sequence).toList();
  }

  /** The group was sent to another node. */
  void groupSent(int pipe, SequenceGroup group) {
    if (auditHook != null) {
      rows(pipe, group, auditHook::rowSent);
    }
  }

  /** The group has come back with its hidden states. */
  void groupReturned(int pipe, SequenceGroup group) {
    if (auditHook != null) {
      rows(pipe, group, auditHook::rowReturned);
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

  /** A sequence lost its slot before it was complete. */
  void sequenceDropped(int pipe, Sequence sequence) {
    if (auditHook != null && sequence.audited) {
      auditHook.sequenceDropped(pipe, sequence.passage());
    }
  }

  /** Holds the end of a sequence that has left its slot, until the verdict. */
  void holdForVerdict(
      Sequence sequence,
      PipeAdmission admission,
      int positions,
      FinishReason finish,
      VerdictHandler judged) {
    if (auditHook == null) {
      throw new IllegalStateException("no audit hook for sequence " + sequence.arrival);
    }
    Held waiting = new Held(sequence, admission, admission.epoch(), finish);
    held.add(waiting);
    auditHook.sequenceEnded(
        admission.pipe(),
        waiting.epoch(),
        sequence.passage(),
        positions,
        reason -> later.accept(() -> judge(waiting, reason, judged)));
  }

  private void judge(Held waiting, @Nullable String reason, VerdictHandler judged) {
    if (held.remove(waiting)) { // else it was cancelled meanwhile, or judged before
      waiting.admission().forget(waiting.sequence(), waiting.epoch());
      boolean right = reason == null;
      judged.end(
          waiting.sequence(), right ? waiting.finish() : FinishReason.REVOKED, right ? "" : reason);
    }
  }

  /** Ends the wait of a sequence for its verdict; returns whether it waited. */
  boolean stopWaiting(Sequence sequence) {
    for (int i = 0; i < held.size(); i++) {
      Held waiting = held.get(i);
      if (waiting.sequence() == sequence) {
        held.remove(i);
        waiting.admission().forget(sequence, waiting.epoch());
        sequenceDropped(waiting.admission().pipe(), sequence);
        return true;
      }
    }
    return false;
  }
}
