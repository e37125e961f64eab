package dev.millrace.cluster.internal.audit;

import java.util.ArrayList;
import java.util.List;

/**
 * The origin's records of an audited sequence: each row that was sent to the first other node, and
 * the hash of what came back. Written by the batch loop's thread; read after the sequence ended.
 */
public final class AuditRecording {
  private final int pipe;
  private final long sequence;
  private HiddenStates left;
  private List<byte[]> returned = new ArrayList<>();
  private boolean givenUp;
  private boolean broken;

  AuditRecording(int pipe, long sequence, int width) {
    this.pipe = pipe;
    this.sequence = sequence;
    left = new HiddenStates(width);
  }

  int pipe() {
    return pipe;
  }

  long sequence() {
    return sequence;
  }

  /** Records a row; false if it is not the next one, and so is not kept. */
  boolean left(int position, float[] hidden, int offset) {
    boolean next = left.add(position, hidden, offset);
    broken |= !next;
    return next;
  }

  void rowReturned(int position, byte[] hash) {
    if (!givenUp) {
      broken |= position != returned.size();
      returned.add(hash);
    }
  }

  /** There is no memory for all of it: drops the records, and records nothing more. */
  void giveUp() {
    givenUp = true;
    left = new HiddenStates(left.width());
    returned = List.of();
  }

  boolean isGivenUp() {
    return givenUp;
  }

  HiddenStates left() {
    return left;
  }

  List<byte[]> returned() {
    return returned;
  }

  /** Whether it has these positions, each once and in order. */
  boolean isComplete(int positions) {
    return !broken && left.count() == positions && returned.size() == positions;
  }
}
