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
 * The identity of this process towards other nodes.
 *
 * @param name of this node; {@code ""} for a command, which is not a member
 * @param incarnation drawn when the process started; a restarted node has a greater one
 * @param tls from a {@link NetworkKey} or from {@link PemSslContext}
 * @param namesFromCertificates whether the name of a node must be in its certificate
 */
public record NodeIdentity(
    String name, long incarnation, SSLContext tls, boolean namesFromCertificates) {

  /** For a command of a user: no name. */
  public static NodeIdentity command(SSLContext tls, boolean namesFromCertificates) {
    return new NodeIdentity("", 0, tls, namesFromCertificates);
  }

  /** The names in the certificate of the other side. */
  public static Set<String> certificateNames(SSLSession session) throws SSLPeerUnverifiedException {
    return CertificateNames.of((X509Certificate) session.getPeerCertificates()[0]);
  }

  /** An incarnation for a process that starts now, greater than those of earlier processes. */
  public static long newIncarnation() {
    return (System.currentTimeMillis() << 20) | new SecureRandom().nextInt(1 << 20);
  }
}
