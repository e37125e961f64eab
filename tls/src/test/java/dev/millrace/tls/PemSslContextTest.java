package dev.millrace.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.tls.TestCertificateAuthority.Issued;
import dev.millrace.tls.TestCertificateAuthority.Validity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PemSslContextTest {
  @TempDir Path directory;
  private TestCertificateAuthority authority;
  private Issued good;

  @BeforeEach
  void issueCertificate() throws Exception {
    authority = new TestCertificateAuthority(directory, "authority");
    good = authority.issue("a", "a", "EC");
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  private void assertRefused(Path certificate, Path key, Path named, String problem) {
    assertThatThrownBy(() -> PemSslContext.of(certificate, key, authority.certificate))
        .isInstanceOf(TlsFileException.class)
        .hasMessageStartingWith(named + " " + problem);
  }

  private void refusedCertificate(Path certificate, String problem) {
    assertRefused(certificate, good.key(), certificate, problem);
  }

  private void refusedKey(Path key, String problem) {
    assertRefused(good.certificate(), key, key, problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RSA", "EC", "Ed25519", "Ed448"})
  void keysOfTheseAlgorithmsAreAccepted(String algorithm) throws Exception {
    Issued issued = authority.issue("b", "b", algorithm);
    CertifiedKey read = CertifiedKey.read(issued.certificate(), issued.key());
    assertThat(read.hasKeyType(algorithm.startsWith("Ed") ? "EdDSA" : algorithm)).isTrue();
    assertThat(read.hasKeyType("DSA")).isFalse();
    assertThat(PemSslContext.of(issued.certificate(), issued.key(), authority.certificate))
        .isNotNull();
  }

  @Test
  void aCertificateFileThatCannotBeUsedIsNamedWithTheReason() throws Exception {
    refusedCertificate(directory.resolve("none.pem"), "does not exist");
    refusedCertificate(directory, "is a directory");
    refusedCertificate(good.key(), "has no block \"BEGIN CERTIFICATE\": a PEM file with");
    refusedCertificate(
        authority.write("bad.pem", "CERTIFICATE", new byte[9]),
        "holds a certificate, number 1, that cannot be read");
    refusedCertificate(file("large.pem", "x".repeat(1_000_001)), "is larger than 1000000 bytes");
  }

  @Test
  void aKeyFileThatCannotBeUsedIsNamedWithTheReason() throws Exception {
    refusedKey(good.certificate(), "has no block \"BEGIN PRIVATE KEY\": a PEM file with");
    refusedKey(
        authority.write("e.key", "ENCRYPTED PRIVATE KEY", new byte[50]),
        "is encrypted: make a copy without password");
    refusedKey(
        file(
            "pkcs1.key",
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n"
                + "AA\n-----END RSA PRIVATE KEY-----\n"),
        "is not PKCS#8: convert it with");
    refusedKey(
        authority.write("junk.key", "PRIVATE KEY", new byte[50]),
        "holds a key that is not RSA, EC or Ed25519, or is broken");
    refusedKey(
        file("short.key", "-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----\n"),
        "has a broken PRIVATE KEY block: not Base64");
  }

  @Test
  void filesThatDoNotBelongTogetherAreRefused() throws Exception {
    TestCertificateAuthority other = new TestCertificateAuthority(directory, "stranger");
    Issued foreign = other.issue("f", "f", "EC");
    refusedKey(foreign.key(), "holds a key that does not belong to the first certificate of ");
    assertRefused(
        foreign.certificate(),
        foreign.key(),
        foreign.certificate(),
        "holds a certificate that the authority of ");
  }

  @Test
  void aCertificateIsRefusedBeforeAndAfterItsTime() throws Exception {
    Issued old = authority.issue("old", "old", "EC", Validity.expired());
    assertRefused(
        old.certificate(), old.key(), old.certificate(), "holds a certificate that ended on ");
    Instant tomorrow = Instant.now().plusSeconds(86_400);
    Issued early =
        authority.issue("early", "e", "EC", new Validity(tomorrow, tomorrow.plusSeconds(60)));
    assertRefused(
        early.certificate(),
        early.key(),
        early.certificate(),
        "holds a certificate that is not valid before ");
  }
}
