package dev.millrace.cluster.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads what {@link MessageOutput} wrote. */
final class MessageInput {
  private static final Message.Kind[] KINDS = Message.Kind.values();

  private final InputStream in;
  private final byte[] header = new byte[MessageOutput.HEADER];

  /** When bytes came last, by {@link System#nanoTime}. */
  private volatile long heard = System.nanoTime();

  MessageInput(InputStream in) {
    this.in = in;
  }

  long heard() {
    return heard;
  }

  /** The next one; null where the other side ended in good order. */
  @Nullable Message read() throws IOException {
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
    if (length < 0 || length > Protocol.MAX_BODY) {
      throw new ProtocolException(
          "a message of %d bytes, of at most %d".formatted(length, Protocol.MAX_BODY));
    }
    byte[] body = new byte[length];
    fill(body, 0);
    return new Message(KINDS[kind], head.getLong(), ByteBuffer.wrap(body));
  }

  private void fill(byte[] bytes, int from) throws IOException {
    heard = System.nanoTime();
    for (int at = from; at < bytes.length; ) {
      int n = in.read(bytes, at, bytes.length - at);
      if (n < 0) {
        throw new EOFException("in the middle of a message");
      }
      at += n;
      heard = System.nanoTime();
    }
  }
}
