package dev.millrace.cluster.internal.audit;

import java.util.ArrayList;
import java.util.List;

/**
 * What the origin notes of an audited sequence: each row as it left for the first other node, and
 * the hash of what came back. Written by the wheels' thread, read when it has ended.
 */
public final class AuditRecording {
  private final int pipe;
  private final long passage;
  private HiddenStates left;
  private List<byte[]> returned = new ArrayList<>();
  private boolean outgrown;
  private boolean broken;

  AuditRecording(int pipe, long passage, int width) {
    this.pipe = pipe;
    this.passage = passage;
    left = new HiddenStates(width);
  }

  int pipe() {
    return pipe;
  }

  long passage() {
    return passage;
  }

  /** Notes a row; false where it is not the next, and so not kept. */
  boolean left(int position, float[] hidden, int offset) {
    boolean next = left.add(position, hidden, offset);
    broken |= !next;
    return next;
  }

  void cameBack(int position, byte[] hash) {
    if (!outgrown) {
      broken |= position != returned.size();
      returned.add(hash);
    }
  }

  /** There is no memory to keep it whole: what there is goes, and nothing more is noted. */
  void giveUp() {
    outgrown = true;
    left = new HiddenStates(left.width());
    returned = List.of();
  }

  boolean isGivenUp() {
    return outgrown;
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
