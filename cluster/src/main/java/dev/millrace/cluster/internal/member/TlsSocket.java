package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.engine.internal.thread.EngineThreads;
import dev.millrace.tls.MutualTls;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A TLS connection that never makes JGroups wait. JGroups connects, sends and closes for all
 * members with few threads and shared locks, so one frozen member would delay the others until they
 * seem dead too. Here connecting, the handshake and writing run on a thread of their own, from a
 * bounded queue, and closing waits for nothing.
 */
final class TlsSocket extends Socket {
  private static final long QUEUE_BYTES = 16 << 20;
  private static final Duration CLOSE_DELAY = Duration.ofMillis(500);
  private static final byte[] END = {};

  /** The connection that a JGroups thread reads; it has only one. */
  private static final ThreadLocal<@Nullable TlsSocket> READ = new ThreadLocal<>();

  private final SSLContext tls;
  private final Duration handshake;
  private final Socket raw;
  private final CompletableFuture<SSLSocket> secure = new CompletableFuture<>();
  private final BlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();
  private final AtomicLong queued = new AtomicLong();
  private volatile @Nullable InetSocketAddress peer;
  private volatile @Nullable Set<String> names;
  private volatile boolean closed;

  /** A socket that is not connected yet. */
  TlsSocket(SSLContext tls, Duration handshake) {
    this.tls = tls;
    this.handshake = handshake;
    this.raw = new Socket();
  }

  /** An accepted socket after its handshake. */
  TlsSocket(SSLContext tls, Socket raw, SSLSocket authenticated) {
    this.tls = tls;
    this.handshake = Duration.ZERO;
    this.raw = raw;
    secure.complete(authenticated);
    this.peer = (InetSocketAddress) raw.getRemoteSocketAddress();
    EngineThreads.virtualWork().name("millrace-member-writer").start(this::write);
  }

  /** The names in the certificate of the sender whose bytes this thread reads. */
  static Set<String> namesBeingRead() {
    TlsSocket socket = READ.get();
    try {
      return socket == null ? Set.of() : socket.names();
    } catch (IOException e) {
      return Set.of();
    }
  }

  private Set<String> names() throws IOException {
    Set<String> known = names;
    if (known == null) {
      known = NodeIdentity.certificateNames(secure().getSession());
      names = known;
    }
    return known;
  }

  @Override
  public void connect(SocketAddress to) {
    connect(to, 0);
  }

  @Override
  public void connect(SocketAddress to, int timeout) {
    peer = (InetSocketAddress) to;
    EngineThreads.virtualWork()
        .name("millrace-member-writer")
        .start(
            () -> {
              dial(to, timeout);
              write();
            });
  }

  @Override
  public InputStream getInputStream() {
    return new Input();
  }

  @Override
  public OutputStream getOutputStream() {
    return new Output();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    secure.completeExceptionally(new SocketException("Socket closed"));
    queue.add(END);
    if (queued.get() == 0) {
      closeRaw();
    } else {
      EngineThreads.virtualWork().name("millrace-member-closer").start(this::closeRawSoon);
    }
  }

  private void dial(SocketAddress to, int timeout) {
    try {
      raw.connect(to, timeout);
      raw.setSoTimeout((int) handshake.toMillis());
      String host = raw.getInetAddress().getHostAddress();
      SSLSocket socket =
          (SSLSocket) tls.getSocketFactory().createSocket(raw, host, raw.getPort(), true);
      socket.setUseClientMode(true);
      socket.setSSLParameters(MutualTls.parameters());
      socket.startHandshake();
      raw.setSoTimeout(0);
      secure.complete(socket);
    } catch (IOException | RuntimeException e) {
      closed = true;
      secure.completeExceptionally(e);
    }
  }

  private void write() {
    try {
      OutputStream out = secure().getOutputStream();
      for (byte[] bytes = queue.take(); bytes != END; bytes = queue.take()) {
        out.write(bytes);
        queued.addAndGet(-bytes.length);
      }
      secure().close();
    } catch (IOException | InterruptedException e) {
      closed = true;
    } finally {
      closeRaw();
    }
  }

  /**
   * The TLS socket once the handshake is done; a failure is a SocketException, which JGroups
   * understands.
   */
  private SSLSocket secure() throws SocketException {
    try {
      return secure.join();
    } catch (CompletionException e) {
      throw new SocketException(String.valueOf(e.getCause()), e);
    }
  }

  private void closeRawSoon() {
    try {
      Thread.sleep(CLOSE_DELAY);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeRaw();
  }

  private void closeRaw() {
    try {
      raw.close();
    } catch (IOException e) {
      // It is closed anyway.
    }
  }

  private final class Input extends InputStream {
    @Override
    public int read() throws IOException {
      READ.set(TlsSocket.this);
      return secure().getInputStream().read();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      READ.set(TlsSocket.this);
      return secure().getInputStream().read(into, offset, length);
    }
  }

  private final class Output extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (closed) {
        throw new SocketException("Socket closed");
      }
      if (length == 0) {
        return;
      }
      if (queued.addAndGet(length) > QUEUE_BYTES) {
        TlsSocket.this.close();
        throw new SocketException("the other side does not read");
      }
      queue.add(Arrays.copyOfRange(bytes, offset, offset + length));
    }
  }

  // JGroups needs these methods too.

  @Override
  public void bind(SocketAddress at) throws IOException {
    raw.bind(at);
  }

  @Override
  public boolean isConnected() {
    return peer != null;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public @Nullable InetAddress getInetAddress() {
    InetSocketAddress to = peer;
    return to == null ? null : to.getAddress();
  }

  @Override
  public int getPort() {
    InetSocketAddress to = peer;
    return to == null ? 0 : to.getPort();
  }

  @Override
  public InetAddress getLocalAddress() {
    return raw.getLocalAddress();
  }

  @Override
  public int getLocalPort() {
    return raw.getLocalPort();
  }

  @Override
  public @Nullable SocketAddress getRemoteSocketAddress() {
    return peer;
  }

  @Override
  public SocketAddress getLocalSocketAddress() {
    return raw.getLocalSocketAddress();
  }

  @Override
  public void setSoTimeout(int millis) throws SocketException {
    raw.setSoTimeout(millis);
  }

  @Override
  public int getSoTimeout() throws SocketException {
    return raw.getSoTimeout();
  }

  @Override
  public void setTcpNoDelay(boolean on) throws SocketException {
    raw.setTcpNoDelay(on);
  }

  @Override
  public void setKeepAlive(boolean on) throws SocketException {
    raw.setKeepAlive(on);
  }

  @Override
  public void setSendBufferSize(int size) throws SocketException {
    raw.setSendBufferSize(size);
  }

  @Override
  public void setReceiveBufferSize(int size) throws SocketException {
    raw.setReceiveBufferSize(size);
  }

  @Override
  public void setSoLinger(boolean on, int seconds) throws SocketException {
    raw.setSoLinger(on, seconds);
  }

  @Override
  public String toString() {
    return "TLS over " + raw;
  }
}
