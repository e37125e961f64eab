package dev.millrace.cluster.origin;

import java.util.ArrayList;
import java.util.List;

/**
 * What the origin notes of an audited sequence: each row as it left for the first other node, and
 * the hash of what came back. Written by the wheels' thread, read when it has ended.
 */
final class Recording {
  private final int pipe;
  private final long passage;
  private final Rows left;
  private final List<byte[]> returned = new ArrayList<>();
  private boolean broken;

  Recording(int pipe, long passage, int width) {
    this.pipe = pipe;
    this.passage = passage;
    left = new Rows(width);
  }

  int pipe() {
    return pipe;
  }

  long passage() {
    return passage;
  }

  void left(int position, float[] hidden, int offset) {
    broken |= !left.add(position, hidden, offset);
  }

  void cameBack(int position, byte[] hash) {
    broken |= position != returned.size();
    returned.add(hash);
  }

  /** It cannot be kept whole: what is there is of no use. */
  void giveUp() {
    broken = true;
  }

  Rows left() {
    return left;
  }

  List<byte[]> returned() {
    return returned;
  }

  /** Whether it has these positions, each once and in order. */
  boolean isWhole(int positions) {
    return !broken && left.count() == positions && returned.size() == positions;
  }
}
