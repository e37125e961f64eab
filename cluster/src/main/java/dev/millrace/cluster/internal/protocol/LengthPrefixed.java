package dev.millrace.cluster.internal.protocol;

import dev.millrace.cluster.ClusterException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes and reads blocks of bytes, each after its length, as calls send them. */
public final class LengthPrefixed {
  private LengthPrefixed() {}

  public static void write(DataOutputStream out, ByteBuffer bytes) throws IOException {
    out.writeInt(bytes.remaining());
    out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
  }

  public static ByteBuffer read(DataInputStream in, int limit) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > limit) {
      throw new ClusterException(
          "the other side announces %d bytes, where %d is the limit".formatted(length, limit));
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new ClusterException("the other side ended in the middle of its answer");
    }
    return ByteBuffer.wrap(bytes);
  }
}
