package dev.millrace.http.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.tls.TestCertificateAuthority;
import dev.millrace.tls.TestCertificateAuthority.Issued;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReloadingKeyManagerTest {
  @TempDir Path directory;
  private TestCertificateAuthority authority;
  private TlsFiles files;
  private int changes;

  @BeforeEach
  void makeAuthority() throws Exception {
    authority = new TestCertificateAuthority(directory, "authority");
    files = new TlsFiles(directory.resolve("c.pem"), directory.resolve("k.pem"));
  }

  private void renew(String algorithm) throws Exception {
    Issued issued = authority.issue("server", "localhost", algorithm);
    replace(issued.certificate(), files.certificate());
    replace(issued.key(), files.key());
    changes++;
  }

  private void replace(Path from, Path to) throws IOException {
    Files.writeString(to, Files.readString(from));
    Files.setLastModifiedTime(to, FileTime.from(Instant.ofEpochSecond(1 + changes)));
  }

  private static void assertPair(ReloadingKeyManager keys, String alias, String algorithm) {
    X509Certificate[] chain = keys.getCertificateChain(alias);
    assertThat(chain).isNotNull();
    assertThat(chain[0].getPublicKey().getAlgorithm()).isEqualTo(algorithm);
    assertThat(keys.getPrivateKey(alias).getAlgorithm()).isEqualTo(algorithm);
  }

  @Test
  void aHandshakeThatBeganBeforeAChangeKeepsItsCertificateAndKey() throws Exception {
    renew("EC");
    ReloadingKeyManager keys = new ReloadingKeyManager(files);
    String begun = keys.chooseEngineServerAlias("EC", null, null);
    renew("RSA");
    String next = keys.chooseEngineServerAlias("RSA", null, null);
    assertThat(next).isNotEqualTo(begun);
    assertPair(keys, begun, "EC");
    assertPair(keys, next, "RSA");
  }

  @Test
  void aPairThatIsTwoChangesOldIsGoneAsAWhole() throws Exception {
    renew("EC");
    ReloadingKeyManager keys = new ReloadingKeyManager(files);
    String begun = keys.chooseEngineServerAlias("EC", null, null);
    renew("RSA");
    keys.chooseEngineServerAlias("RSA", null, null);
    renew("Ed25519");
    assertPair(keys, keys.chooseEngineServerAlias("EdDSA", null, null), "EdDSA");
    assertThat(keys.getCertificateChain(begun)).isNull();
    assertThat(keys.getPrivateKey(begun)).isNull();
  }

  @Test
  void aKeyOfAnotherTypeIsNotOffered() throws Exception {
    renew("EC");
    ReloadingKeyManager keys = new ReloadingKeyManager(files);
    assertThat(keys.chooseEngineServerAlias("RSA", null, null)).isNull();
  }
}
