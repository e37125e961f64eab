package dev.millrace.cluster.internal.link;

import static dev.millrace.cluster.internal.link.LoopbackConnections.eventually;
import static dev.millrace.cluster.internal.link.LoopbackConnections.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.link.TestCertificateAuthority.Issued;
import dev.millrace.tls.PemSslContext;
import dev.millrace.tls.TlsFileException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class CertificateLinksTest {
  @TempDir Path directory;

  private static Instant later() {
    return Instant.now().plusSeconds(600);
  }

  private static SSLContext tls(TestCertificateAuthority authority, Issued issued) {
    return PemSslContext.of(issued.certificate(), issued.key(), authority.certificate);
  }

  private static NodeIdentity named(String name, SSLContext tls) {
    return new NodeIdentity(name, 1, tls, true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RSA", "EC", "Ed25519"})
  void nodesOfOneAuthorityMeetByCommonNameOrDnsName(String algorithm) throws Exception {
    TestCertificateAuthority authority = new TestCertificateAuthority(directory, "authority");
    RecordingReceiver atB = new RecordingReceiver();
    try (LoopbackConnections net = new LoopbackConnections()) {
      SSLContext tlsA = tls(authority, authority.issue("a", "other", algorithm, later()));
      SSLContext tlsB = tls(authority, authority.issue("other", "b", algorithm, later()));
      PeerConnections a =
          net.open(named("a", tlsA), LoopbackConnections.OPEN, new RecordingReceiver());
      PeerConnections b = net.open(named("b", tlsB), LoopbackConnections.OPEN, atB);
      a.addNode("b", b.address(), 1);
      a.send("b", text("hello"));
      eventually(() -> assertThat(atB.texts).containsExactly("a: hello"));
    }
  }

  @Test
  void aNameThatIsNotInTheCertificateIsRefused() throws Exception {
    TestCertificateAuthority authority = new TestCertificateAuthority(directory, "authority");
    RecordingReceiver atB = new RecordingReceiver();
    try (LoopbackConnections net = new LoopbackConnections()) {
      SSLContext tlsA = tls(authority, authority.issue("a", "a.lan", "EC", later()));
      SSLContext tlsB = tls(authority, authority.issue("b", "b.lan", "EC", later()));
      PeerConnections b = net.open(named("b", tlsB), LoopbackConnections.OPEN, atB);
      PeerConnections liar =
          net.open(named("mallory", tlsA), LoopbackConnections.OPEN, new RecordingReceiver());
      liar.addNode("b", b.address(), 1);
      assertThatThrownBy(() -> liar.send("b", text("x")))
          .hasMessage(
              b.address()
                  + " refused us: your certificate is not for \"mallory\": name your node as its"
                  + " certificate says (common name or DNS name)");
      PeerConnections a =
          net.open(named("a", tlsA), LoopbackConnections.OPEN, new RecordingReceiver());
      a.addNode("mallory", liar.address(), 1);
      assertThatThrownBy(() -> a.send("mallory", text("x")))
          .hasMessageStartingWith(
              liar.address() + " calls itself \"mallory\", which is no name in its certificate");
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void anotherAuthorityIsRefusedOnBothSides() throws Exception {
    TestCertificateAuthority ours = new TestCertificateAuthority(directory, "ours");
    TestCertificateAuthority theirs = new TestCertificateAuthority(directory, "theirs");
    RecordingReceiver atB = new RecordingReceiver();
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections b =
          net.open(
              named("b", tls(ours, ours.issue("b", "b", "EC", later()))),
              LoopbackConnections.OPEN,
              atB);
      SSLContext stranger = tls(theirs, theirs.issue("a", "a", "EC", later()));
      PeerConnections a =
          net.open(named("a", stranger), LoopbackConnections.OPEN, new RecordingReceiver());
      a.addNode("b", b.address(), 1);
      assertThatThrownBy(() -> a.send("b", text("x")))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("has another network key (or certificate)")
          .extracting(e -> ((ClusterException) e).refused())
          .isEqualTo(true);
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void filesThatCannotBeUsedAreNamedWithTheReason() throws Exception {
    TestCertificateAuthority authority = new TestCertificateAuthority(directory, "authority");
    TestCertificateAuthority other = new TestCertificateAuthority(directory, "stranger");
    Issued good = authority.issue("a", "a", "EC", later());
    Issued foreign = other.issue("f", "f", "EC", later());
    Issued old = authority.issue("old", "old", "EC", Instant.now().minusSeconds(60));
    Path ca = authority.certificate;
    refused(old.certificate(), old.key(), ca, old.certificate() + ": the certificate expired on ");
    refused(
        good.certificate(), foreign.key(), ca, foreign.key() + " is not the private key of the");
    refused(
        foreign.certificate(), foreign.key(), ca, foreign.certificate() + ": the authority of ");
    refused(good.key(), good.key(), ca, good.key() + " has no certificate: a PEM file with");
    refused(
        good.certificate(),
        good.certificate(),
        ca,
        good.certificate() + " has no private key: a PEM file with");
    Path none = directory.resolve("none.pem");
    refused(none, good.key(), ca, none + ": there is no such file");
    Path encrypted = authority.write("e.key", "ENCRYPTED PRIVATE KEY", new byte[50]);
    refused(good.certificate(), encrypted, ca, encrypted + " has a password: give a key without");
    Path old1 = directory.resolve("pkcs1.key");
    Files.writeString(
        old1,
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAA"
            + "\n-----END RSA PRIVATE KEY-----\n");
    refused(
        good.certificate(), old1, ca, old1 + " is a \"RSA PRIVATE KEY\", and PKCS #8 is needed");
    Path junk = authority.write("junk.key", "PRIVATE KEY", new byte[50]);
    refused(
        good.certificate(), junk, ca, junk + ": the private key is none of RSA, EC and Ed25519");
  }

  private static void refused(Path certificate, Path key, Path ca, String why) {
    assertThatThrownBy(() -> PemSslContext.of(certificate, key, ca))
        .isInstanceOf(TlsFileException.class)
        .hasMessageStartingWith(why);
  }
}
