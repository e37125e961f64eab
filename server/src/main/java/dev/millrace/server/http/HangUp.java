package dev.millrace.server.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Looks whether a client of HTTP/1.1 has hung up while it waits for its answer: its connection is
 * not read from meanwhile, so nobody else would notice.
 */
final class HangUp {
  private static final int MOST_READS = 16;

  private HangUp() {}

  /** What a look finds. */
  enum Sign {
    /** It waits in silence. */
    NONE,
    /** It said something, which is lost: nothing can come after this answer. */
    TALKED,
    GONE
  }

  /** Only for the thread that reads the connection, between a request's end and its answer. */
  static Sign look(SocketChannel channel) {
    try {
      channel.configureBlocking(false);
      try {
        return read(channel);
      } finally {
        channel.configureBlocking(true);
      }
    } catch (IOException e) {
      return Sign.GONE;
    }
  }

  private static Sign read(SocketChannel channel) throws IOException {
    ByteBuffer lost = ByteBuffer.allocate(512);
    for (int i = 0; i < MOST_READS; i++) {
      int count = channel.read(lost.clear());
      if (count <= 0) {
        return count < 0 ? Sign.GONE : i == 0 ? Sign.NONE : Sign.TALKED;
      }
    }
    return Sign.TALKED;
  }
}
