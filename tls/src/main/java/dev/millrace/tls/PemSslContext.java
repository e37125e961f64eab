package dev.millrace.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Makes a TLS context from PEM files: a certificate, its key and the authority to trust. */
public final class PemSslContext {
  private PemSslContext() {}

  /**
   * A context that presents a certificate and trusts the certificates of an authority.
   *
   * @param certificatePem this side's certificate, then those between it and the authority's
   * @param keyPem its private key, PKCS#8 without a password: RSA, EC or Ed25519
   * @param caPem the authority's certificates
   * @throws TlsFileException if a file cannot be used, or the files do not belong together
   */
  public static SSLContext of(Path certificatePem, Path keyPem, Path caPem) {
    CertifiedKey own = CertifiedKey.read(certificatePem, keyPem);
    X509TrustManager trust = trust(caPem, PemReader.certificates(caPem));
    PeerTrustManager.Rule rule = (other, ofClient) -> check(trust, other, ofClient);
    checkOwn(certificatePem, own.chainArray(), caPem, rule);
    return MutualTls.context(new SingleKeyManager(own), new PeerTrustManager(rule));
  }

  private static void check(X509TrustManager trust, X509Certificate[] chain, boolean ofClient)
      throws CertificateException {
    if (chain == null || chain.length == 0) {
      throw new CertificateException("no certificate");
    }
    if (ofClient) {
      trust.checkClientTrusted(chain, chain[0].getPublicKey().getAlgorithm());
    } else {
      trust.checkServerTrusted(chain, "UNKNOWN");
    }
  }

  private static X509TrustManager trust(Path caPem, List<X509Certificate> authorities) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (int i = 0; i < authorities.size(); i++) {
        store.setCertificateEntry("ca" + i, authorities.get(i));
      }
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(store);
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509TrustManager x509) {
          return x509;
        }
      }
      throw new GeneralSecurityException("no X.509 in PKIX");
    } catch (GeneralSecurityException | IOException e) {
      throw new TlsFileException(
          caPem, "holds authorities that cannot be used: " + e.getMessage(), e);
    }
  }

  private static void checkOwn(
      Path file, X509Certificate[] chain, Path caFile, PeerTrustManager.Rule rule) {
    try {
      rule.check(chain, true);
      rule.check(chain, false);
    } catch (CertificateException e) {
      throw new TlsFileException(
          file,
          ("holds a certificate that the authority of %s does not accept as both client and "
                  + "server: %s")
              .formatted(caFile, e.getMessage()),
          e);
    }
  }
}
