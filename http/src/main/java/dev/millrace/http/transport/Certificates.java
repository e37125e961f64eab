package dev.millrace.http.transport;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificate and key of a server, read again when their files change: before each handshake,
 * so that a renewed certificate needs no restart. Files that do not fit together leave the old ones.
 */
public final class Certificates extends X509ExtendedKeyManager {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final byte[] PROBE = {1, 2, 3};

  private final TlsFiles files;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile Pair pair;
  private volatile List<FileTime> stamp;

  /**
   * @throws IllegalArgumentException saying which file is wrong, and how
   */
  public Certificates(TlsFiles files) {
    this.files = files;
    this.stamp = stampNow();
    this.pair = Pair.read(files);
  }

  public SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {this}, null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no TLS", e);
    }
  }

  private void refresh() {
    List<FileTime> now = stampNow();
    if (now.equals(stamp) || !reading.tryLock()) {
      return;
    }
    try {
      stamp = now;
      pair = Pair.read(files);
      LOG.log(Level.INFO, "read the certificate {0} again", files.certificate());
    } catch (IllegalArgumentException e) {
      LOG.log(Level.ERROR, "{0}; the certificate read before stays in use", e.getMessage());
    } finally {
      reading.unlock();
    }
  }

  private List<FileTime> stampNow() {
    try {
      return List.of(
          Files.getLastModifiedTime(files.certificate()), Files.getLastModifiedTime(files.key()));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** A certificate's name is its number, so that a handshake never mixes two. */
  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    refresh();
    // the JDK asks with the algorithm of the key, or EC for "EC" and "EdDSA" for Ed25519
    return pair.key().getAlgorithm().equals(keyType) ? "server" : null;
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return chooseEngineServerAlias(keyType, issuers, null);
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return pair.chain().toArray(X509Certificate[]::new);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return pair.key();
  }

  @Override
  public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return new String[] {"server"};
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return null;
  }

  private record Pair(List<X509Certificate> chain, PrivateKey key) {

    static Pair read(TlsFiles files) {
      List<X509Certificate> chain = Pem.certificates(files.certificate());
      PrivateKey key = Pem.key(files.key());
      X509Certificate own = chain.getFirst();
      Instant end = own.getNotAfter().toInstant();
      if (end.isBefore(Instant.now())) {
        throw Pem.wrong(files.certificate(), "holds a certificate that ended on " + end);
      }
      if (own.getNotBefore().toInstant().isAfter(Instant.now())) {
        throw Pem.wrong(
            files.certificate(),
            "holds a certificate that is not valid before " + own.getNotBefore().toInstant());
      }
      if (!fits(own, key)) {
        throw Pem.wrong(
            files.key(),
            "holds a key that does not belong to the first certificate of " + files.certificate());
      }
      return new Pair(List.copyOf(chain), key);
    }

    private static boolean fits(X509Certificate certificate, PrivateKey key) {
      String algorithm =
          switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "EdDSA";
          };
      try {
        Signature signer = Signature.getInstance(algorithm);
        signer.initSign(key);
        signer.update(PROBE);
        Signature verifier = Signature.getInstance(algorithm);
        verifier.initVerify(certificate.getPublicKey());
        verifier.update(PROBE);
        return verifier.verify(signer.sign());
      } catch (GeneralSecurityException e) {
        return false;
      }
    }
  }
}
