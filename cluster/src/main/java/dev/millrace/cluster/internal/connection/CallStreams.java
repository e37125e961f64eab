package dev.millrace.cluster.internal.connection;

import dev.millrace.engine.internal.thread.EngineThreads;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/**
 * The streams of a call. Written bytes are sent before a read waits, so neither side waits for an
 * answer to bytes in a buffer. A read or write that makes no progress for too long fails.
 */
final class CallStreams implements AutoCloseable {
  private static final int BUFFER = 16 << 10;

  private final TlsConnection connection;
  private final Duration timeout;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final Thread watch;

  /** When the current write began; 0: none. */
  private volatile long writing;

  CallStreams(TlsConnection connection, Duration timeout) throws IOException {
    this.connection = connection;
    this.timeout = timeout;
    connection.setReadTimeout(timeout);
    this.out = new DataOutputStream(new BufferedOutputStream(timed(connection.out()), BUFFER));
    this.in = new DataInputStream(new BufferedInputStream(flushing(connection), BUFFER));
    this.watch = EngineThreads.virtualWork().name("millrace-call-watch").start(this::watch);
  }

  DataInputStream in() {
    return in;
  }

  DataOutputStream out() {
    return out;
  }

  private FilterOutputStream timed(OutputStream to) {
    return new FilterOutputStream(to) {
      @Override
      public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int from, int length) throws IOException {
        // In pieces, because progress is what counts.
        for (int at = 0; at < length; at += BUFFER) {
          writing = System.nanoTime() | 1;
          try {
            to.write(bytes, from + at, Math.min(BUFFER, length - at));
          } finally {
            writing = 0;
          }
        }
      }
    };
  }

  private FilterInputStream flushing(TlsConnection connection) throws IOException {
    return new FilterInputStream(connection.in()) {
      @Override
      public int read() throws IOException {
        out.flush();
        return super.read();
      }

      @Override
      public int read(byte[] bytes, int from, int length) throws IOException {
        out.flush();
        return super.read(bytes, from, length);
      }
    };
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(timeout.dividedBy(4).plusMillis(1));
        long since = writing;
        if (since != 0 && System.nanoTime() - since > timeout.toNanos()) {
          connection.closeNow();
        }
      }
    } catch (InterruptedException e) {
      // The call is over.
    }
  }

  @Override
  public void close() {
    watch.interrupt();
    connection.closeGracefully();
  }
}
