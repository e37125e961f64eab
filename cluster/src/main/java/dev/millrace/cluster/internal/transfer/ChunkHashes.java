package dev.millrace.cluster.internal.transfer;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The sizes of a model's files and the hash of each chunk; the parts of a split model count as one
 * file. Immutable.
 */
final class ChunkHashes {
  /** Bytes of a chunk; only the last one may have fewer. */
  static final int SIZE = 4 << 20;

  /** A peer must not make us create files without end. */
  static final int MOST_PARTS = 1024;

  /** 4 TiB; the hashes of a larger model would no longer be small. */
  private static final long MOST_BYTES = 4L << 40;

  private final List<Long> parts; // bytes of each file
  private final byte[] hashes; // one after the other
  private final long bytes;

  ChunkHashes(List<Long> parts, byte[] hashes) {
    this.parts = List.copyOf(parts);
    this.hashes = hashes;
    this.bytes = parts.stream().mapToLong(Long::longValue).sum();
  }

  List<Long> parts() {
    return parts;
  }

  int count() {
    return count(bytes);
  }

  private static int count(long bytes) {
    return (int) ((bytes + SIZE - 1) / SIZE);
  }

  /** Where a chunk begins, counted over all files. */
  static long start(int chunk) {
    return (long) chunk * SIZE;
  }

  int length(int chunk) {
    return (int) Math.min(SIZE, bytes - start(chunk));
  }

  boolean matches(int chunk, byte[] sha256) {
    int at = chunk * Sha256Hash.BYTES;
    return Arrays.equals(hashes, at, at + Sha256Hash.BYTES, sha256, 0, Sha256Hash.BYTES);
  }

  void write(DataOutput out) throws IOException {
    out.writeInt(SIZE);
    out.writeInt(parts.size());
    for (long part : parts) {
      out.writeLong(part);
    }
    out.write(hashes);
  }

  /**
   * Reads the chunk hashes of a model of so many bytes, as a peer sent them.
   *
   * @throws InvalidModelDataException if they do not fit; nothing larger is read before that is
   *     known
   */
  static ChunkHashes read(DataInput in, long bytes) throws IOException {
    int size = in.readInt();
    int count = in.readInt();
    if (size != SIZE || count < 1 || count > MOST_PARTS || bytes > MOST_BYTES) {
      throw new InvalidModelDataException(
          "it announces %d files in chunks of %d bytes; at most %d files and chunks of %d are allowed"
              .formatted(count, size, MOST_PARTS, SIZE));
    }
    List<Long> parts = new ArrayList<>();
    long sum = 0;
    for (int i = 0; i < count; i++) {
      long part = in.readLong();
      if (part < 1 || part > bytes - sum) {
        throw new InvalidModelDataException(
            "its file %d has %d bytes, but the model has %d".formatted(i + 1, part, bytes));
      }
      parts.add(part);
      sum += part;
    }
    if (sum != bytes) {
      throw new InvalidModelDataException(
          "its files have %d bytes, but the model has %d".formatted(sum, bytes));
    }
    byte[] hashes = new byte[count(bytes) * Sha256Hash.BYTES];
    in.readFully(hashes);
    return new ChunkHashes(parts, hashes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ChunkHashes chunks
        && parts.equals(chunks.parts)
        && Arrays.equals(hashes, chunks.hashes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(hashes);
  }
}
