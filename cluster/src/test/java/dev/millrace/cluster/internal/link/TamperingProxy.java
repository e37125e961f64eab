package dev.millrace.cluster.internal.link;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.TlsConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands between two nodes, forwards what they say, and can do harm to what the dialler says. */
final class TamperingProxy implements AutoCloseable {
  /** What is done with bytes on their way. */
  interface Harm {
    void pass(byte[] bytes, int length, OutputStream to) throws IOException;
  }

  static final Harm NONE = (bytes, length, to) -> to.write(bytes, 0, length);

  private final ServerSocket server;
  private final HostPort target;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();

  /** Of what the dialler says. */
  volatile Harm harm = NONE;

  /** Whether nothing passes any more, without an end. */
  volatile boolean frozen;

  TamperingProxy(HostPort target) {
    this.target = target;
    try {
      server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  HostPort address() {
    return new HostPort("127.0.0.1", server.getLocalPort());
  }

  byte[] recorded() {
    synchronized (recorded) {
      return recorded.toByteArray();
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket from = server.accept();
        Socket to = new Socket(target.host(), target.port());
        from.setTcpNoDelay(true);
        to.setTcpNoDelay(true);
        sockets.add(from);
        sockets.add(to);
        Thread.ofVirtual().start(() -> pump(from, to, true));
        Thread.ofVirtual().start(() -> pump(to, from, false));
      } catch (IOException e) {
        // The next one, or the end.
      }
    }
  }

  private void pump(Socket from, Socket to, boolean dialler) {
    byte[] bytes = new byte[1 << 16];
    try {
      InputStream in = from.getInputStream();
      for (int n; (n = in.read(bytes)) >= 0; ) {
        if (frozen) {
          continue;
        }
        if (dialler) {
          synchronized (recorded) {
            recorded.write(bytes, 0, n);
          }
        }
        (dialler ? harm : NONE).pass(bytes, n, to.getOutputStream());
      }
    } catch (IOException e) {
      // Either side ended.
    } finally {
      if (!frozen) {
        TlsConnection.closeNow(from);
        TlsConnection.closeNow(to);
      }
    }
  }

  @Override
  public void close() {
    sockets.forEach(TlsConnection::closeNow);
    try {
      server.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
