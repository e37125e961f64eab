package dev.millrace.cluster.internal.link;

import dev.millrace.cluster.ClusterProtocol;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads what {@link MessageWriter} wrote. */
final class MessageReader {
  private static final int STEP = 1 << 20;
  private static final NodeMessage.Kind[] KINDS = NodeMessage.Kind.values();

  private final InputStream in;
  private final byte[] header = new byte[MessageWriter.HEADER];

  /** When the last bytes arrived, by {@link System#nanoTime}. */
  private volatile long lastReceived = System.nanoTime();

  MessageReader(InputStream in) {
    this.in = in;
  }

  long lastReceivedNanos() {
    return lastReceived;
  }

  /** The next message; null if the other side closed in good order. */
  @Nullable NodeMessage read() throws IOException {
    int first = in.read(header, 0, header.length);
    if (first < 0) {
      return null;
    }
    fill(header, first);
    ByteBuffer head = ByteBuffer.wrap(header);
    int length = head.getInt();
    int kind = head.get() & 0xff;
    if (kind >= KINDS.length) {
      throw new ProtocolException("a message of the unknown kind " + kind);
    }
    if (length < 0 || length > ClusterProtocol.MAX_BODY) {
      throw new ProtocolException(
          "a message of %d bytes, of at most %d".formatted(length, ClusterProtocol.MAX_BODY));
    }
    return new NodeMessage(KINDS[kind], head.getLong(), ByteBuffer.wrap(body(length)));
  }

  /** In steps: a length that is only announced takes no memory. */
  private byte[] body(int length) throws IOException {
    byte[] body = new byte[Math.min(length, STEP)];
    fill(body, 0);
    while (body.length < length) {
      int have = body.length;
      body = Arrays.copyOf(body, Math.min(length, 4 * have));
      fill(body, have);
    }
    return body;
  }

  private void fill(byte[] bytes, int from) throws IOException {
    lastReceived = System.nanoTime();
    for (int at = from; at < bytes.length; ) {
      int n = in.read(bytes, at, bytes.length - at);
      if (n < 0) {
        throw new EOFException("in the middle of a message");
      }
      at += n;
      lastReceived = System.nanoTime();
    }
  }
}
