/**
 * Certificates and private keys from PEM files, and the TLS settings made of them. The package uses
 * the JDK only, and knows neither HTTP nor the cluster, which both use it. {@link PemReader} reads
 * files, {@link CertifiedKey} is a key with its certificates, and {@link PemSslContext} makes a
 * context of them that trusts one authority. Start at {@link PemSslContext}.
 */
@NullMarked
package dev.millrace.tls;

import org.jspecify.annotations.NullMarked;
