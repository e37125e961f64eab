package dev.millrace.cluster.internal.protocol;

import dev.millrace.cluster.ClusterException;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A node's audit records of one sequence: for each row its position and the hashes of its input and
 * output. As bytes: sequence, number of rows, then position, hash in and hash out of each row.
 */
public record AuditRecords(long sequence, List<RowHashRecorder.RowHashes> rows) {
  private static final int HASH = 32;
  private static final int ROW = 4 + 2 * HASH;

  public AuditRecords {
    rows = List.copyOf(rows);
  }

  /** Whether bytes claim to be of a sequence; nothing else is read. */
  public static boolean isOfSequence(long expected, ByteBuffer bytes) {
    return bytes.remaining() >= 8 && bytes.getLong(bytes.position()) == expected;
  }

  /** The encoded size of so many rows. */
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
   * @throws ClusterException if the bytes are anything else
   */
  public static AuditRecords decode(ByteBuffer bytes) {
    ByteBuffer in = bytes.duplicate();
    if (in.remaining() < 12) {
      throw broken(in.remaining());
    }
    long sequence = in.getLong();
    int count = in.getInt();
    if (count < 0 || in.remaining() != (long) count * ROW) {
      throw broken(in.remaining());
    }
    List<RowHashRecorder.RowHashes> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(new RowHashRecorder.RowHashes(in.getInt(), hash(in), hash(in)));
    }
    return new AuditRecords(sequence, rows);
  }

  private static byte[] hash(ByteBuffer in) {
    byte[] hash = new byte[HASH];
    in.get(hash);
    return hash;
  }

  private static ClusterException broken(int bytes) {
    return new ClusterException(
        "the audit records of a sequence are cut off or longer than they say, at %d bytes"
            .formatted(bytes));
  }
}
