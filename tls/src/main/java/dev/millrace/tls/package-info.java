/**
 * Certificates and private keys from PEM files, and the TLS settings made of them. It uses the JDK
 * only, and knows neither HTTP nor the cluster; both use it. {@link PemReader} reads files, {@link
 * PemSslContext} makes a context that shows a certificate and trusts an authority's. Start at
 * {@link PemSslContext}.
 */
@NullMarked
package dev.millrace.tls;

import org.jspecify.annotations.NullMarked;
