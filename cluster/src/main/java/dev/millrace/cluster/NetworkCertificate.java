package dev.millrace.cluster;

import dev.millrace.tls.CertifiedKey;
import dev.millrace.tls.DerEncoder;
import dev.millrace.tls.MutualTls;
import dev.millrace.tls.PeerTrustManager;
import dev.millrace.tls.SingleKeyManager;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;
import javax.net.ssl.SSLContext;

/**
 * The certificate that all nodes of a network share, made from the network key: HKDF derives the
 * seed of an Ed25519 key pair, which signs its own certificate. Ed25519 signatures are
 * deterministic, so every node makes the same bytes. Each side trusts these bytes only, and the
 * handshake proves that the other side has the private key, and so the network key.
 */
record NetworkCertificate(X509Certificate certificate, PrivateKey key) {
  private static final byte[] SALT = ascii("millrace network");
  private static final byte[] INFO = ascii("millrace tls ed25519 1");
  private static final byte[] ED25519 =
      DerEncoder.sequence(DerEncoder.oid(new byte[] {0x2b, 0x65, 0x70}));
  private static final byte[] COMMON_NAME = {0x55, 0x04, 0x03};

  static NetworkCertificate of(byte[] secret) {
    try {
      KeyPair pair = pair(seed(secret));
      byte[] certificate = signed(pair);
      CertificateFactory x509 = CertificateFactory.getInstance("X.509");
      return new NetworkCertificate(
          (X509Certificate) x509.generateCertificate(new ByteArrayInputStream(certificate)),
          pair.getPrivate());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java cannot do Ed25519 and HKDF-SHA256", e);
    }
  }

  private static byte[] seed(byte[] secret) throws GeneralSecurityException {
    return KDF.getInstance("HKDF-SHA256")
        .deriveData(
            HKDFParameterSpec.ofExtract().addSalt(SALT).addIKM(secret).thenExpand(INFO, 32));
  }

  /**
   * The key pair of a seed. The JDK computes a public key only when it generates a pair, so the
   * generator gets the seed as its randomness. The result is checked: it must contain the seed, and
   * its public key must verify the signature.
   */
  private static KeyPair pair(byte[] seed) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
    generator.initialize(NamedParameterSpec.ED25519, new FixedRandom(seed));
    KeyPair pair = generator.generateKeyPair();
    byte[] taken = ((EdECPrivateKey) pair.getPrivate()).getBytes().orElseThrow();
    if (!MessageDigest.isEqual(taken, seed)) {
      throw new GeneralSecurityException("the generator did not use the given seed");
    }
    // A round trip through PKCS#8 drops the provider object of the generator.
    KeyFactory keys = KeyFactory.getInstance("Ed25519");
    return new KeyPair(
        pair.getPublic(),
        keys.generatePrivate(new PKCS8EncodedKeySpec(pair.getPrivate().getEncoded())));
  }

  private static byte[] signed(KeyPair pair) throws GeneralSecurityException {
    byte[] name =
        DerEncoder.sequence(
            DerEncoder.set(
                DerEncoder.sequence(
                    DerEncoder.oid(COMMON_NAME), DerEncoder.utf8String("millrace-network"))));
    byte[] validity =
        DerEncoder.sequence(DerEncoder.time("20200101000000Z"), DerEncoder.time("99991231235959Z"));
    byte[] content =
        DerEncoder.sequence(
            DerEncoder.explicit(0, DerEncoder.integer(2)),
            DerEncoder.integer(1),
            ED25519,
            name,
            validity,
            name,
            pair.getPublic().getEncoded());
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(pair.getPrivate());
    signature.update(content);
    byte[] signed = signature.sign();
    signature.initVerify(pair.getPublic());
    signature.update(content);
    if (!signature.verify(signed)) {
      throw new GeneralSecurityException("the pair does not fit together");
    }
    return DerEncoder.sequence(content, ED25519, DerEncoder.bitString(signed));
  }

  SSLContext tls() {
    CertifiedKey own = new CertifiedKey(List.of(certificate), key);
    return MutualTls.context(new SingleKeyManager(own), new PeerTrustManager(this::check));
  }

  private void check(X509Certificate[] chain, boolean ofClient) throws CertificateException {
    if (chain == null
        || chain.length != 1
        || !MessageDigest.isEqual(chain[0].getEncoded(), certificate.getEncoded())) {
      throw new OtherNetworkKeyException();
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public String toString() {
    return "certificate of a network, serial "
        + HexFormat.of().formatHex(certificate.getSerialNumber().toByteArray());
  }

  /** Returns the given bytes as randomness. */
  private static final class FixedRandom extends SecureRandom {
    private final byte[] bytes;

    FixedRandom(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public void nextBytes(byte[] into) {
      System.arraycopy(bytes, 0, into, 0, into.length);
    }
  }
}
