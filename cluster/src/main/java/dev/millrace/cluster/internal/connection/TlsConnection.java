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

/** One TLS connection over a plain socket of ours. */
public final class TlsConnection {
  private static final Duration LEAVING = Duration.ofSeconds(1);
  private static final int UNREAD = 64 << 10;

  private final Socket plain;
  private final SSLSocket tls;
  private volatile @Nullable ConnectionDeadline leaving;

  private TlsConnection(Socket plain, SSLSocket tls) {
    this.plain = plain;
    this.tls = tls;
  }

  /** Nothing is said yet: the handshake comes with {@link #startHandshake}. */
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
  public void setReadTimeout(Duration patience) throws IOException {
    tls.setSoTimeout(Math.clamp(patience.toMillis(), 1, Integer.MAX_VALUE));
  }

  X509Certificate peerCertificate() throws SSLPeerUnverifiedException {
    return (X509Certificate) tls.getSession().getPeerCertificates()[0];
  }

  /** Ends it at once, from any thread; who reads or writes gets an exception. */
  public void closeNow() {
    closeNow(plain);
    ConnectionDeadline clock = leaving;
    if (clock != null) {
      clock.stopInTime();
    }
  }

  public static void closeNow(Socket plain) {
    try {
      plain.close();
    } catch (IOException e) {
      // It is closed all the same.
    }
  }

  /** Ends it in a while, if nobody does before. */
  public void closeAfter(Duration time) {
    leaving = new ConnectionDeadline(time, plain);
  }

  /** Ends it so that the other side gets all that was written to it. */
  public void closeGracefully() {
    try (ConnectionDeadline _ = new ConnectionDeadline(LEAVING, plain)) {
      tls.shutdownOutput();
      closeGracefully(plain);
    } catch (IOException e) {
      closeNow();
    }
  }

  /**
   * As closing with unread bytes makes the system reset the connection, which can cost the other
   * side our last words, these bytes are read first.
   */
  static void closeGracefully(Socket plain) {
    try (ConnectionDeadline _ = new ConnectionDeadline(LEAVING, plain)) {
      plain.shutdownOutput();
      byte[] unread = new byte[4096];
      InputStream in = plain.getInputStream();
      for (int total = 0, n; total < UNREAD && (n = in.read(unread)) >= 0; ) {
        total += n;
      }
    } catch (IOException e) {
      // It went first.
    } finally {
      closeNow(plain);
    }
  }
}
