package dev.millrace.http.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Looks whether a client of HTTP/1.1 has hung up while it waits for its answer: its connection is
 * not read from meanwhile, so nobody else would notice.
 */
public final class DisconnectProbe {
  private static final int MOST_READS = 16;

  private DisconnectProbe() {}

  /** What a look finds. */
  public enum Result {
    /** It waits in silence. */
    SILENT,
    /** It said something, which is lost: nothing can come after this answer. */
    SENT_DATA,
    DISCONNECTED
  }

  /** Only for the thread that reads the connection, between a request's end and its answer. */
  static Result probe(SocketChannel channel) {
    try {
      channel.configureBlocking(false);
      try {
        return read(channel);
      } finally {
        channel.configureBlocking(true);
      }
    } catch (IOException e) {
      return Result.DISCONNECTED;
    }
  }

  private static Result read(SocketChannel channel) throws IOException {
    ByteBuffer lost = ByteBuffer.allocate(512);
    for (int i = 0; i < MOST_READS; i++) {
      int count = channel.read(lost.clear());
      if (count <= 0) {
        return count < 0 ? Result.DISCONNECTED : i == 0 ? Result.SILENT : Result.SENT_DATA;
      }
    }
    return Result.SENT_DATA;
  }
}
