package dev.millrace.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * A private key and the certificates that vouch for it.
 *
 * @param chain the key's own certificate first, then those between it and the authority's
 */
public record CertifiedKey(List<X509Certificate> chain, PrivateKey key) {
  private static final byte[] PROBE = {1, 2, 3};

  public CertifiedKey {
    chain = List.copyOf(chain);
  }

  /**
   * Reads both from PEM files.
   *
   * @throws TlsFileException if a file cannot be used, the certificate is not valid now, or the two
   *     do not belong together
   */
  public static CertifiedKey read(Path certificateFile, Path keyFile) {
    CertifiedKey read =
        new CertifiedKey(PemReader.certificates(certificateFile), PemReader.key(keyFile));
    X509Certificate own = read.chain().getFirst();
    Instant end = own.getNotAfter().toInstant();
    if (end.isBefore(Instant.now())) {
      throw new TlsFileException(
          certificateFile, "holds a certificate that ended on " + end + "; renew it");
    }
    Instant start = own.getNotBefore().toInstant();
    if (start.isAfter(Instant.now())) {
      throw new TlsFileException(
          certificateFile,
          "holds a certificate that is not valid before "
              + start
              + "; check the clock of this machine");
    }
    if (!read.belongTogether()) {
      throw new TlsFileException(
          keyFile,
          "holds a key that does not belong to the first certificate of " + certificateFile);
    }
    return read;
  }

  /** Whether the certificate verifies a signature of the key. */
  private boolean belongTogether() {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> "EdDSA";
        };
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(PROBE);
      byte[] signed = signature.sign();
      signature.initVerify(chain.getFirst().getPublicKey());
      signature.update(PROBE);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // keys of two algorithms
    }
  }

  /** Whether the key is of a type that a handshake asks for, such as {@code EC}. */
  public boolean hasKeyType(String type) {
    String own = key.getAlgorithm().startsWith("Ed") ? "EdDSA" : key.getAlgorithm();
    return type.equals(own) || type.startsWith(own + "_");
  }

  /** The chain as key managers return it. */
  public X509Certificate[] chainArray() {
    return chain.toArray(X509Certificate[]::new);
  }

  /** Says nothing of the key. */
  @Override
  public String toString() {
    return "key of " + chain.getFirst().getSubjectX500Principal();
  }
}
