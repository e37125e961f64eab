package dev.millrace.http.transport;

import dev.millrace.tls.CertifiedKey;
import dev.millrace.tls.TlsFileException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Provides the server's certificate and key, and reads them again when their files change. It looks
 * at the files before each handshake, so a renewed certificate needs no restart. Files that cannot
 * be used leave the old ones in use.
 *
 * <p>Each pair of certificate and key has an alias of its own, and the previous pair is kept: a
 * handshake that began before a change ends with the certificate and the key that it began with.
 */
public final class ReloadingKeyManager extends X509ExtendedKeyManager {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private record Loaded(int number, CertifiedKey certified) {
    String alias() {
      return "server-" + number;
    }
  }

  private final TlsFiles files;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile Loaded current;
  private volatile @Nullable Loaded previous;
  private volatile List<FileTime> stamp;

  /**
   * @throws IllegalArgumentException saying which file is wrong, and how
   */
  public ReloadingKeyManager(TlsFiles files) {
    this.files = files;
    this.stamp = stampNow();
    try {
      this.current = new Loaded(1, read());
    } catch (TlsFileException e) {
      throw new IllegalArgumentException("TLS file " + e.getMessage(), e);
    }
  }

  private CertifiedKey read() {
    return CertifiedKey.read(files.certificate(), files.key());
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
      Loaded next = new Loaded(current.number() + 1, read());
      previous = current; // before current: a handshake finds its pair at any time
      current = next;
      LOG.log(Level.INFO, "read the certificate {0} again", files.certificate());
    } catch (TlsFileException e) {
      LOG.log(Level.ERROR, "TLS file {0}; the previous certificate stays in use", e.getMessage());
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

  private @Nullable CertifiedKey certified(String alias) {
    Loaded latest = current;
    Loaded before = previous;
    if (latest.alias().equals(alias)) {
      return latest.certified();
    }
    return before != null && before.alias().equals(alias) ? before.certified() : null;
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    refresh();
    Loaded latest = current;
    return latest.certified().hasKeyType(keyType) ? latest.alias() : null;
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return chooseEngineServerAlias(keyType, issuers, null);
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    CertifiedKey certified = certified(alias);
    return certified == null ? null : certified.chainArray();
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    CertifiedKey certified = certified(alias);
    return certified == null ? null : certified.key();
  }

  @Override
  public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return new String[] {current.alias()};
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
}
