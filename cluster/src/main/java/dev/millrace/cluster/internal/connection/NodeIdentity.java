package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.NetworkKey;
import dev.millrace.tls.CertificateNames;
import dev.millrace.tls.PemSslContext;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * Who we are to others.
 *
 * @param name of this node; {@code ""} for a command of a user, which is no member
 * @param incarnation drawn when the process started; of two lives the later has the greater
 * @param tls from a {@link NetworkKey} or from {@link PemSslContext}
 * @param namesFromCertificates whether a node may only have a name that stands in its certificate
 */
public record NodeIdentity(
    String name, long incarnation, SSLContext tls, boolean namesFromCertificates) {

  /** For a command of a user: no name. */
  public static NodeIdentity command(SSLContext tls, boolean namesFromCertificates) {
    return new NodeIdentity("", 0, tls, namesFromCertificates);
  }

  /** What the other side of a connection may be called, by the certificate that it proved. */
  public static Set<String> certificateNames(SSLSession session) throws SSLPeerUnverifiedException {
    return CertificateNames.of((X509Certificate) session.getPeerCertificates()[0]);
  }

  /** The number of a life that begins now: greater than those of earlier ones. */
  public static long newIncarnation() {
    return (System.currentTimeMillis() << 20) | new SecureRandom().nextInt(1 << 20);
  }
}
