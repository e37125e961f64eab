package dev.millrace.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** TLS from PEM files, for those who have certificates of their own. */
public final class PemSslContext {
  private PemSslContext() {}

  /**
   * TLS that shows a certificate and trusts those of an authority.
   *
   * @param certificatePem the node's certificate, and after it those between it and the authority's
   * @param keyPem its private key, PKCS #8 without a password: RSA, EC or Ed25519
   * @param caPem the authority's certificates
   * @throws TlsFileException where a file is not what it should be, or they do not fit together
   */
  public static SSLContext of(Path certificatePem, Path keyPem, Path caPem) {
    X509Certificate[] chain =
        PemReader.certificates(certificatePem).toArray(X509Certificate[]::new);
    PrivateKey key = PemReader.key(keyPem);
    X509TrustManager trust = trust(caPem, PemReader.certificates(caPem));
    checkDates(certificatePem, chain[0]);
    checkPair(certificatePem, chain[0], keyPem, key);
    PeerTrustManager.Rule rule = (other, ofClient) -> check(trust, other, ofClient);
    checkOwn(certificatePem, chain, caPem, rule);
    return MutualTls.context(new SingleKeyManager(key, chain), new PeerTrustManager(rule));
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
          "%s: these authorities cannot be used: %s".formatted(caPem, e.getMessage()), e);
    }
  }

  private static void checkDates(Path file, X509Certificate certificate) {
    try {
      certificate.checkValidity();
    } catch (CertificateExpiredException e) {
      throw new TlsFileException(
          "%s: the certificate expired on %s; renew it"
              .formatted(file, certificate.getNotAfter().toInstant()));
    } catch (CertificateNotYetValidException e) {
      throw new TlsFileException(
          "%s: the certificate is only valid from %s on; check the clock of this machine"
              .formatted(file, certificate.getNotBefore().toInstant()));
    }
  }

  /** A signature of the one must be right by the other. */
  private static void checkPair(
      Path certificateFile, X509Certificate certificate, Path keyFile, PrivateKey key) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> "Ed25519";
        };
    byte[] text = {1, 2, 3};
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(text);
      byte[] signed = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      signature.update(text);
      if (signature.verify(signed)) {
        return;
      }
    } catch (GeneralSecurityException e) {
      // Of another kind, then.
    }
    throw new TlsFileException(
        "%s is not the private key of the certificate %s; give the two that were made together"
            .formatted(keyFile, certificateFile));
  }

  private static void checkOwn(
      Path file, X509Certificate[] chain, Path caFile, PeerTrustManager.Rule rule) {
    try {
      rule.check(chain, true);
      rule.check(chain, false);
    } catch (CertificateException e) {
      throw new TlsFileException(
          ("%s: the authority of %s does not vouch for this certificate as both client "
                  + "and server: %s")
              .formatted(file, caFile, e.getMessage()),
          e);
    }
  }
}
