package dev.millrace.cluster.internal.member;

import dev.millrace.tls.MutualTls;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A server socket whose {@code accept} gives only connections that have proved themselves. JGroups
 * takes connections one after the other and waits for each; so that nobody outside the network can
 * hold it up, handshakes are done here, at the same time, and within a limit of time and number;
 * where there are too many, the oldest goes.
 */
final class TlsServerSocket extends ServerSocket {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  static final int AT_ONCE = 256;
  private static final Socket END = new Socket();

  private final SSLContext tls;
  private final Duration limit;

  /** Connections in their handshakes, and when (by nanoTime) they must be through. */
  private final Map<Socket, Long> hands = new LinkedHashMap<>(); // guarded by itself

  private final BlockingQueue<Socket> proved = new LinkedBlockingQueue<>();

  private final Thread door = Thread.ofPlatform().daemon().unstarted(this::run);

  TlsServerSocket(SSLContext tls, Duration limit) throws IOException {
    this.tls = tls;
    this.limit = limit;
  }

  @Override
  public void bind(SocketAddress at, int backlog) throws IOException {
    super.bind(at, backlog);
    setSoTimeout(250);
    door.setName("millrace-member-door-" + getLocalPort());
    door.start();
  }

  @Override
  public Socket accept() throws IOException {
    try {
      Socket next = proved.take();
      if (next == END) {
        proved.add(END);
        throw new SocketException("Socket closed");
      }
      return next;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SocketException("Interrupted");
    }
  }

  @Override
  public void close() throws IOException {
    super.close();
    dropAll();
    proved.forEach(each -> drop(each == END ? null : each));
    proved.add(END);
    try {
      if (door.isAlive()) {
        door.join(Duration.ofSeconds(1));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!isClosed()) {
      try {
        come(super.accept());
      } catch (SocketTimeoutException e) {
        // Nobody came; there may be some to send away.
      } catch (Throwable e) {
        // Out of descriptors, threads or memory: others will free some.
        pause();
      }
      sendAwayLate();
    }
    dropAll();
  }

  private void come(Socket socket) {
    synchronized (hands) {
      if (hands.size() == AT_ONCE) {
        Socket oldest = hands.keySet().iterator().next();
        hands.remove(oldest);
        drop(oldest);
      }
      hands.put(socket, System.nanoTime() + limit.toNanos());
    }
    Thread.ofVirtual().name("millrace-member-handshake").start(() -> shake(socket));
  }

  /** Whether it was still among those in their handshakes. */
  private boolean through(Socket socket) {
    synchronized (hands) {
      return hands.remove(socket) != null;
    }
  }

  private void shake(Socket socket) {
    try {
      socket.setTcpNoDelay(true);
      String peer = socket.getInetAddress().getHostAddress();
      SSLSocket secure =
          (SSLSocket) tls.getSocketFactory().createSocket(socket, peer, socket.getPort(), true);
      secure.setUseClientMode(false);
      secure.setSSLParameters(MutualTls.parameters());
      secure.startHandshake();
      if (through(socket) && !isClosed()) {
        proved.add(new TlsSocket(tls, socket, secure));
        return;
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(
          System.Logger.Level.DEBUG,
          () -> "membership: %s did not get in: %s".formatted(socket, e.getMessage()));
    }
    through(socket);
    drop(socket);
  }

  private void sendAwayLate() {
    long now = System.nanoTime();
    synchronized (hands) {
      hands
          .entrySet()
          .removeIf(
              each -> {
                boolean late = now - each.getValue() > 0;
                drop(late ? each.getKey() : null);
                return late;
              });
    }
  }

  private void dropAll() {
    synchronized (hands) {
      hands.keySet().forEach(TlsServerSocket::drop);
    }
  }

  /** So that a lack of what they need is not met with a busy loop. */
  private static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void drop(@Nullable Socket socket) {
    try {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      // It is gone all the same.
    }
  }
}
