/**
 * Certificates and private keys from PEM files, and TLS contexts and sockets made of them, for HTTP
 * and for the cluster; only the JDK is used. {@link PemReader} reads files, {@link CertifiedKey} is
 * a key with its certificates, and {@link MutualTls} makes connections on which both sides present
 * a certificate: {@link SingleKeyManager} chooses ours, {@link PeerTrustManager} checks the other.
 * Start at {@link PemSslContext}.
 */
@NullMarked
package dev.millrace.tls;

import org.jspecify.annotations.NullMarked;
