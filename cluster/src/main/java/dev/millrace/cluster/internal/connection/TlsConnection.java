package dev.millrace.cluster.internal.connection;

import dev.millrace.tls.MutualTls;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A TLS connection over a plain socket. */
public final class TlsConnection {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);
  private static final int MAX_UNREAD = 64 << 10;

  private final Socket plain;
  private final SSLSocket tls;
  private volatile @Nullable ConnectionDeadline closing;

  private TlsConnection(Socket plain, SSLSocket tls) {
    this.plain = plain;
    this.tls = tls;
  }

  /** The handshake comes later, with {@link #startHandshake}. */
  public static TlsConnection over(Socket plain, SSLContext tls, boolean client)
      throws IOException {
    plain.setTcpNoDelay(true);
    return new TlsConnection(plain, MutualTls.over(plain, tls, client));
  }

  public void startHandshake() throws IOException {
    tls.startHandshake();
  }

  public InputStream in() throws IOException {
    return tls.getInputStream();
  }

  public OutputStream out() throws IOException {
    return tls.getOutputStream();
  }

  /** How long a read waits for a byte. */
  public void setReadTimeout(Duration timeout) throws IOException {
    tls.setSoTimeout(Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE));
  }

  X509Certificate peerCertificate() throws SSLPeerUnverifiedException {
    return (X509Certificate) tls.getSession().getPeerCertificates()[0];
  }

  /** Closes the connection at once, from any thread; pending reads and writes fail. */
  public void closeNow() {
    closeNow(plain);
    ConnectionDeadline clock = closing;
    if (clock != null) {
      clock.stopInTime();
    }
  }

  public static void closeNow(Socket plain) {
    try {
      plain.close();
    } catch (IOException e) {
      // It is closed anyway.
    }
  }

  /** Closes the connection after a while, unless it is closed before. */
  public void closeAfter(Duration time) {
    closing = new ConnectionDeadline(time, plain);
  }

  /** Closes the connection after the other side could read all that was written. */
  public void closeGracefully() {
    try (ConnectionDeadline _ = new ConnectionDeadline(CLOSE_TIMEOUT, plain)) {
      tls.shutdownOutput();
      closeGracefully(plain);
    } catch (IOException e) {
      closeNow();
    }
  }

  /**
   * Reads what is left before it closes: a close with unread bytes resets the connection, and the
   * other side could lose our last message.
   */
  static void closeGracefully(Socket plain) {
    try (ConnectionDeadline _ = new ConnectionDeadline(CLOSE_TIMEOUT, plain)) {
      plain.shutdownOutput();
      byte[] unread = new byte[4096];
      InputStream in = plain.getInputStream();
      for (int total = 0, n; total < MAX_UNREAD && (n = in.read(unread)) >= 0; ) {
        total += n;
      }
    } catch (IOException e) {
      // The other side closed first.
    } finally {
      closeNow(plain);
    }
  }
}
