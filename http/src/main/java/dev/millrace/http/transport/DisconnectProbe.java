package dev.millrace.http.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Checks whether an HTTP/1.1 client disconnected while it waits for a response. The connection is
 * not read during that time, so nothing else would notice.
 */
public final class DisconnectProbe {
  private static final int MAX_READS = 16;

  private DisconnectProbe() {}

  /** What a probe finds. */
  public enum Result {
    /** The client waits and sent nothing. */
    SILENT,
    /** The client sent data, which is lost: the connection must close after this response. */
    SENT_DATA,
    DISCONNECTED
  }

  /** Call it on the thread that reads the connection, after a request and before its response. */
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
    ByteBuffer discarded = ByteBuffer.allocate(512);
    for (int i = 0; i < MAX_READS; i++) {
      int count = channel.read(discarded.clear());
      if (count <= 0) {
        return count < 0 ? Result.DISCONNECTED : i == 0 ? Result.SILENT : Result.SENT_DATA;
      }
    }
    return Result.SENT_DATA;
  }
}
