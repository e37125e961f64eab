package dev.millrace.cluster.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Writes messages: length of the body, kind, session, body. Small ones are gathered into one TLS
 * record; of large ones all but the ends goes to TLS from where it lies.
 */
final class MessageOutput {
  static final int HEADER = Integer.BYTES + 1 + Long.BYTES;

  /** The most that TLS puts into one record. */
  private static final int RECORD = 16 << 10;

  private final OutputStream out;
  private final byte[] record = new byte[RECORD];
  private final ByteBuffer gathered = ByteBuffer.wrap(record);

  MessageOutput(OutputStream out) {
    this.out = out;
  }

  static long size(Message message) {
    return HEADER + (long) message.body().remaining();
  }

  void write(Message message) throws IOException {
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
      out.write(body.array(), body.arrayOffset() + body.position(), whole);
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
      out.write(record, 0, gathered.position());
      gathered.clear();
    }
  }
}
