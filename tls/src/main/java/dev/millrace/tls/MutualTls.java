package dev.millrace.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

/** TLS 1.3 in which both sides present a certificate: contexts, sockets and their parameters. */
public final class MutualTls {
  private MutualTls() {}

  public static SSLContext context(KeyManager key, TrustManager trust) {
    try {
      SSLContext tls = SSLContext.getInstance("TLSv1.3");
      tls.init(new KeyManager[] {key}, new TrustManager[] {trust}, null);
      return tls;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no TLS 1.3", e);
    }
  }

  /**
   * A TLS socket over a connected plain one. The caller closes the plain socket, which ends both at
   * once; closing the TLS socket may wait for a write that hangs.
   */
  public static SSLSocket over(Socket plain, SSLContext tls, boolean client) throws IOException {
    String host = plain.getInetAddress().getHostAddress();
    SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket(plain, host, plain.getPort(), false);
    socket.setUseClientMode(client);
    SSLParameters strict = parameters();
    strict.setServerNames(List.of());
    socket.setSSLParameters(strict);
    return socket;
  }

  /** TLS 1.3 only, and the client must show a certificate too. */
  public static SSLParameters parameters() {
    SSLParameters strict = new SSLParameters();
    strict.setProtocols(new String[] {"TLSv1.3"});
    strict.setCipherSuites(
        new String[] {
          "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"
        });
    strict.setNeedClientAuth(true);
    return strict;
  }
}
