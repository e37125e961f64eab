package dev.millrace.cluster.wire;

import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * Who we are to others.
 *
 * @param name of this node; {@code ""} for a command of a user, which is no member
 * @param incarnation drawn when the process started; of two lives the later has the greater
 * @param tls from a {@link NetworkKey} or from {@link Certificates}
 * @param namesFromCertificates whether a node may only have a name that stands in its certificate
 */
public record Identity(
    String name, long incarnation, SSLContext tls, boolean namesFromCertificates) {

  /** For a command of a user: no name. */
  public static Identity command(SSLContext tls, boolean namesFromCertificates) {
    return new Identity("", 0, tls, namesFromCertificates);
  }

  /** What the other side of a connection may be called, by the certificate that it proved. */
  public static Set<String> names(SSLSession session) throws SSLPeerUnverifiedException {
    return CertificateNames.of((X509Certificate) session.getPeerCertificates()[0]);
  }

  /** The number of a life that begins now: greater than those of earlier ones. */
  public static long newIncarnation() {
    return (System.currentTimeMillis() << 20) | new SecureRandom().nextInt(1 << 20);
  }

  /** How every socket of a network is set: TLS 1.3 only, and both sides show a certificate. */
  public static SSLParameters strict() {
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
