package dev.millrace.cluster.internal.member;

import dev.millrace.engine.internal.thread.EngineThreads;
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
 * A server socket whose {@code accept} returns only connections that passed their TLS handshake.
 * JGroups accepts one connection after the other and waits for each. So that nobody outside the
 * network can delay it, handshakes run here in parallel, with limits of time and number; if there
 * are too many, the oldest is closed.
 */
final class TlsServerSocket extends ServerSocket {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  static final int MAX_HANDSHAKES = 256;
  private static final Socket END = new Socket();

  private final SSLContext tls;
  private final Duration limit;

  /** Connections in their handshakes, and their deadlines (nanoTime). */
  private final Map<Socket, Long> handshakes = new LinkedHashMap<>(); // guarded by itself

  private final BlockingQueue<Socket> authenticated = new LinkedBlockingQueue<>();

  private final Thread acceptor =
      EngineThreads.service("millrace-member-accept").unstarted(this::run);

  TlsServerSocket(SSLContext tls, Duration limit) throws IOException {
    this.tls = tls;
    this.limit = limit;
  }

  @Override
  public void bind(SocketAddress at, int backlog) throws IOException {
    super.bind(at, backlog);
    setSoTimeout(250);
    acceptor.setName("millrace-member-acceptor-" + getLocalPort());
    acceptor.start();
  }

  @Override
  public Socket accept() throws IOException {
    try {
      Socket next = authenticated.take();
      if (next == END) {
        authenticated.add(END);
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
    authenticated.forEach(each -> drop(each == END ? null : each));
    authenticated.add(END);
    try {
      if (acceptor.isAlive()) {
        acceptor.join(Duration.ofSeconds(1));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!isClosed()) {
      try {
        accepted(super.accept());
      } catch (SocketTimeoutException e) {
        // No connection; check the deadlines.
      } catch (Throwable e) {
        // Out of descriptors, threads or memory: others will free some.
        pause();
      }
      dropLate();
    }
    dropAll();
  }

  private void accepted(Socket socket) {
    synchronized (handshakes) {
      if (handshakes.size() == MAX_HANDSHAKES) {
        Socket oldest = handshakes.keySet().iterator().next();
        handshakes.remove(oldest);
        drop(oldest);
      }
      handshakes.put(socket, System.nanoTime() + limit.toNanos());
    }
    EngineThreads.virtualWork().name("millrace-member-handshake").start(() -> handshake(socket));
  }

  /** Removes a connection from the handshakes; false if it was dropped before. */
  private boolean remove(Socket socket) {
    synchronized (handshakes) {
      return handshakes.remove(socket) != null;
    }
  }

  private void handshake(Socket socket) {
    try {
      socket.setTcpNoDelay(true);
      String peer = socket.getInetAddress().getHostAddress();
      SSLSocket secure =
          (SSLSocket) tls.getSocketFactory().createSocket(socket, peer, socket.getPort(), true);
      secure.setUseClientMode(false);
      secure.setSSLParameters(MutualTls.parameters());
      secure.startHandshake();
      if (remove(socket) && !isClosed()) {
        authenticated.add(new TlsSocket(tls, socket, secure));
        return;
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(
          System.Logger.Level.DEBUG,
          () -> "membership: %s was refused: %s".formatted(socket, e.getMessage()));
    }
    remove(socket);
    drop(socket);
  }

  private void dropLate() {
    long now = System.nanoTime();
    synchronized (handshakes) {
      handshakes
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
    synchronized (handshakes) {
      handshakes.keySet().forEach(TlsServerSocket::drop);
    }
  }

  /** Avoids a busy loop while descriptors or memory are short. */
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
      // It is closed anyway.
    }
  }
}
