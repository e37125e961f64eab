package dev.millrace.cluster.internal.transfer;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The files of a model, and the hash of each chunk of them; parts of a split model count as one
 * file. Not changed once made.
 */
final class ChunkHashes {
  /** Bytes of a chunk; only the last one may have fewer. */
  static final int SIZE = 4 << 20;

  /** A peer must not have us make files without end. */
  static final int MOST_PARTS = 1024;

  /** 4 TiB: the hashes of a larger model would not be small any more. */
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

  /** Of all files together. */
  long bytes() {
    return bytes;
  }

  int count() {
    return count(bytes);
  }

  private static int count(long bytes) {
    return (int) ((bytes + SIZE - 1) / SIZE);
  }

  /** Where a chunk begins in all files together. */
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
   * Reads what somebody says about a model of so many bytes.
   *
   * @throws InvalidModelDataException where it does not fit; nothing larger is read before that is known
   */
  static ChunkHashes read(DataInput in, long bytes) throws IOException {
    int size = in.readInt();
    int count = in.readInt();
    if (size != SIZE || count < 1 || count > MOST_PARTS || bytes > MOST_BYTES) {
      throw new InvalidModelDataException(
          "it has %d files in chunks of %d bytes; a model has up to %d, and chunks have %d"
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
