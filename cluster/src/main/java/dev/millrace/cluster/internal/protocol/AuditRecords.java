package dev.millrace.cluster.internal.protocol;

import dev.millrace.cluster.ClusterException;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node answers with RECORDS: the passage that was asked for, and what it noted of each of
 * its rows, by position. As bytes: passage, number of rows, and of each row position, hash in, hash
 * out.
 */
public record AuditRecords(long sequence, List<RowHashRecorder.RowHashes> rows) {
  private static final int HASH = 32;
  private static final int ROW = 4 + 2 * HASH;

  public AuditRecords {
    rows = List.copyOf(rows);
  }

  /** Whether bytes say that they are of a passage; no more is read. */
  public static boolean isOfSequence(long passage, ByteBuffer bytes) {
    return bytes.remaining() >= 8 && bytes.getLong(bytes.position()) == passage;
  }

  /** What so many rows take. */
  public static long bytes(long rows) {
    return 12 + ROW * rows;
  }

  public ByteBuffer encode() {
    ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(bytes(rows.size())));
    out.putLong(sequence).putInt(rows.size());
    for (RowHashRecorder.RowHashes row : rows) {
      out.putInt(row.position()).put(row.in(), 0, HASH).put(row.out(), 0, HASH);
    }
    return out.flip();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws ClusterException where it is anything else
   */
  public static AuditRecords decode(ByteBuffer bytes) {
    ByteBuffer in = bytes.duplicate();
    if (in.remaining() < 12) {
      throw broken(in.remaining());
    }
    long passage = in.getLong();
    int count = in.getInt();
    if (count < 0 || in.remaining() != (long) count * ROW) {
      throw broken(in.remaining());
    }
    List<RowHashRecorder.RowHashes> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(new RowHashRecorder.RowHashes(in.getInt(), hash(in), hash(in)));
    }
    return new AuditRecords(passage, rows);
  }

  private static byte[] hash(ByteBuffer in) {
    byte[] hash = new byte[HASH];
    in.get(hash);
    return hash;
  }

  private static ClusterException broken(int bytes) {
    return new ClusterException(
        "records of a passage are broken off or longer than they say, at %d bytes"
            .formatted(bytes));
  }
}
