package dev.millrace.cluster.internal.link;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Writes messages: length of the body, kind, session, body. Small messages are gathered into one
 * TLS record; most of a large message goes to TLS without a copy.
 */
final class MessageWriter {
  static final int HEADER = Integer.BYTES + 1 + Long.BYTES;

  /** The most that TLS puts into one record. */
  private static final int RECORD = 16 << 10;

  /** Bytes of one write: this much must be written to count as progress. */
  private static final int PIECE = 4 * RECORD;

  private final OutputStream out;
  private final byte[] record = new byte[RECORD];
  private final ByteBuffer gathered = ByteBuffer.wrap(record);

  /** When the current write began, by {@link System#nanoTime}; 0: none. */
  private volatile long writing;

  MessageWriter(OutputStream out) {
    this.out = out;
  }

  static long size(NodeMessage message) {
    return HEADER + (long) message.body().remaining();
  }

  void write(NodeMessage message) throws IOException {
    if (gathered.remaining() < HEADER) {
      flush();
    }
    ByteBuffer body = message.body().duplicate();
    gathered.putInt(body.remaining());
    gathered.put((byte) message.kind().ordinal());
    gathered.putLong(message.session());
    gather(body);
    if (!body.hasRemaining()) {
      return;
    }
    flush();
    if (body.hasArray()) {
      int whole = body.remaining() - body.remaining() % RECORD;
      for (int at = 0; at < whole; at += PIECE) {
        int from = body.arrayOffset() + body.position() + at;
        out(body.array(), from, Math.min(PIECE, whole - at));
      }
      body.position(body.position() + whole);
    }
    while (body.hasRemaining()) {
      gather(body);
      if (!gathered.hasRemaining()) {
        flush();
      }
    }
  }

  private void gather(ByteBuffer body) {
    int part = Math.min(gathered.remaining(), body.remaining());
    gathered.put(gathered.position(), body, body.position(), part);
    gathered.position(gathered.position() + part);
    body.position(body.position() + part);
  }

  void flush() throws IOException {
    if (gathered.position() > 0) {
      out(record, 0, gathered.position());
      gathered.clear();
    }
  }

  private void out(byte[] bytes, int from, int length) throws IOException {
    writing = System.nanoTime() | 1;
    try {
      out.write(bytes, from, length);
    } finally {
      writing = 0;
    }
  }

  /** Nanoseconds that the current write has taken; 0 if there is none. Any thread. */
  long stuckFor(long now) {
    long since = writing;
    return since == 0 ? 0 : now - since;
  }
}
