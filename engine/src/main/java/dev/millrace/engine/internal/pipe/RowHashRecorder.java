package dev.millrace.engine.internal.pipe;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records hashes of the rows of recorded runs at a node that is not the origin: for each position
 * one of the row as received and one as sent. They are kept until the passage is forgotten.
 */
public final class RowHashRecorder {
  /**
   * A row of a passage.
   *
   * @param in {@link #hash} of the row as it was received
   * @param out {@link #hash} of the row as it was sent on
   */
  public record RowHashes(int position, byte[] in, byte[] out) {}

  private final Map<Long, TreeMap<Integer, List<RowHashes>>> passages = new HashMap<>(); // by layer

  RowHashRecorder() {}

  /** SHA-256 of the exact bits of a row, each float as four bytes, the highest first. */
  public static byte[] hash(float[] hidden, int offset, int width) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * width);
    bytes.asFloatBuffer().put(hidden, offset, width);
    return sha256().digest(bytes.array());
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Hashes of the rows of recorded runs; null if none is recorded. */
  static byte @Nullable [] @Nullable [] hashes(SequenceGroup group) {
    Batch batch = group.batch;
    byte @Nullable [] @Nullable [] hashes = null;
    for (int row = 0; row < batch.rows; row++) {
      if (group.sequence(batch.runOf[row]).isRecorded()) {
        hashes = hashes == null ? new byte @Nullable [batch.rows] @Nullable [] : hashes;
        hashes[row] = hash(batch.hidden, row * batch.width, batch.width);
      }
    }
    return hashes;
  }

  /**
   * Records a group that was computed from {@code layer} on, with the rows received and the rows
   * sent.
   */
  void record(SequenceGroup group, int layer, byte @Nullable [] @Nullable [] in) {
    byte @Nullable [] @Nullable [] out = in == null ? null : hashes(group);
    for (int row = 0; in != null && out != null && row < group.batch.rows; row++) {
      byte @Nullable [] came = in[row];
      byte @Nullable [] went = out[row];
      if (came != null && went != null) {
        long passage = group.sequence(group.batch.runOf[row]).passage();
        add(passage, layer, new RowHashes(group.batch.position[row], came, went));
      }
    }
  }

  private void add(long passage, int layer, RowHashes row) {
    List<RowHashes> rows =
        passages
            .computeIfAbsent(passage, p -> new TreeMap<>())
            .computeIfAbsent(layer, l -> new ArrayList<>());
    while (!rows.isEmpty() && rows.getLast().position() >= row.position()) {
      rows.removeLast(); // a step that begins earlier truncates
    }
    rows.add(row);
  }

  /** The hashes by layer, as a node may have several ranges, and by position. */
  List<RowHashes> rows(long passage) {
    List<RowHashes> all = new ArrayList<>();
    passages.getOrDefault(passage, new TreeMap<>()).values().forEach(all::addAll);
    return all;
  }

  void forget(long passage) {
    passages.remove(passage);
  }

  void clear() {
    passages.clear();
  }
}
