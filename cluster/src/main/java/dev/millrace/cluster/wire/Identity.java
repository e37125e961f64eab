package dev.millrace.cluster.wire;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * Who we are to others.
 *
 * @param name of this node; {@code ""} for a command of a user, which is no member
 * @param incarnation drawn when the process started
 * @param tls from a {@link NetworkKey} or from {@link Certificates}
 * @param namesFromCertificates whether a node may only have a name that stands in its certificate
 */
public record Identity(
    String name, long incarnation, SSLContext tls, boolean namesFromCertificates) {

  /** For a command of a user: no name. */
  public static Identity command(SSLContext tls, boolean namesFromCertificates) {
    return new Identity("", 0, tls, namesFromCertificates);
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
