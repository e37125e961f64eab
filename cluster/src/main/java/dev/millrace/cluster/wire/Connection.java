package dev.millrace.cluster.wire;

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
final class Connection {
  private static final Duration LEAVING = Duration.ofSeconds(1);
  private static final int UNREAD = 64 << 10;

  private final Socket plain;
  private final SSLSocket tls;
  private volatile @Nullable Deadline leaving;

  private Connection(Socket plain, SSLSocket tls) {
    this.plain = plain;
    this.tls = tls;
  }

  /** Nothing is said yet: the handshake comes with {@link #shakeHands}. */
  static Connection over(Socket plain, SSLContext tls, boolean client) throws IOException {
    plain.setTcpNoDelay(true);
    return new Connection(plain, Tls.over(plain, tls, client));
  }

  void shakeHands() throws IOException {
    tls.startHandshake();
  }

  InputStream in() throws IOException {
    return tls.getInputStream();
  }

  OutputStream out() throws IOException {
    return tls.getOutputStream();
  }

  /** How long a read waits for a byte. */
  void patience(Duration patience) throws IOException {
    tls.setSoTimeout(Math.clamp(patience.toMillis(), 1, Integer.MAX_VALUE));
  }

  X509Certificate peer() throws SSLPeerUnverifiedException {
    return (X509Certificate) tls.getSession().getPeerCertificates()[0];
  }

  /** Ends it at once, from any thread; who reads or writes gets an exception. */
  void cut() {
    cut(plain);
    Deadline clock = leaving;
    if (clock != null) {
      clock.keep();
    }
  }

  static void cut(Socket plain) {
    try {
      plain.close();
    } catch (IOException e) {
      // It is closed all the same.
    }
  }

  /** Ends it in a while, if nobody does before. */
  void cutAfter(Duration time) {
    leaving = new Deadline(time, plain);
  }

  /** Ends it so that the other side gets all that was written to it. */
  void leave() {
    try (Deadline _ = new Deadline(LEAVING, plain)) {
      tls.shutdownOutput();
      leave(plain);
    } catch (IOException e) {
      cut();
    }
  }

  /**
   * As closing with unread bytes makes the system reset the connection, which can cost the other
   * side our last words, these bytes are read first.
   */
  static void leave(Socket plain) {
    try (Deadline _ = new Deadline(LEAVING, plain)) {
      plain.shutdownOutput();
      byte[] unread = new byte[4096];
      InputStream in = plain.getInputStream();
      for (int total = 0, n; total < UNREAD && (n = in.read(unread)) >= 0; ) {
        total += n;
      }
    } catch (IOException e) {
      // It went first.
    } finally {
      cut(plain);
    }
  }
}
