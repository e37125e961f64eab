package dev.millrace.cluster.member;

import dev.millrace.cluster.ClusterException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes with their length before them, as calls of this package say things. */
final class Framed {
  private Framed() {}

  static void write(DataOutputStream out, ByteBuffer bytes) throws IOException {
    out.writeInt(bytes.remaining());
    out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
  }

  static ByteBuffer read(DataInputStream in, int limit) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > limit) {
      throw new ClusterException(
          "the other side says %d bytes, where %d is the limit".formatted(length, limit));
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new ClusterException("the other side broke off in the middle of its answer");
    }
    return ByteBuffer.wrap(bytes);
  }
}
