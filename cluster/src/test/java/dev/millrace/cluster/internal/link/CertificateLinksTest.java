package dev.millrace.cluster.internal.link;

import static dev.millrace.cluster.internal.link.LoopbackConnections.eventually;
import static dev.millrace.cluster.internal.link.LoopbackConnections.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.tls.PemSslContext;
import dev.millrace.tls.TestCertificateAuthority;
import dev.millrace.tls.TestCertificateAuthority.Issued;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class CertificateLinksTest {
  @TempDir Path directory;

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
      SSLContext tlsA = tls(authority, authority.issue("a", "other", algorithm));
      SSLContext tlsB = tls(authority, authority.issue("other", "b", algorithm));
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
      SSLContext tlsA = tls(authority, authority.issue("a", "a.lan", "EC"));
      SSLContext tlsB = tls(authority, authority.issue("b", "b.lan", "EC"));
      PeerConnections b = net.open(named("b", tlsB), LoopbackConnections.OPEN, atB);
      PeerConnections impostor =
          net.open(named("mallory", tlsA), LoopbackConnections.OPEN, new RecordingReceiver());
      impostor.addNode("b", b.address(), 1);
      assertThatThrownBy(() -> impostor.send("b", text("x")))
          .hasMessage(
              b.address()
                  + " refused us: your certificate is not for \"mallory\": name your node as its"
                  + " certificate says (common name or DNS name)");
      PeerConnections a =
          net.open(named("a", tlsA), LoopbackConnections.OPEN, new RecordingReceiver());
      a.addNode("mallory", impostor.address(), 1);
      assertThatThrownBy(() -> a.send("mallory", text("x")))
          .hasMessageStartingWith(
              impostor.address()
                  + " calls itself \"mallory\", which is no name in its certificate");
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
              named("b", tls(ours, ours.issue("b", "b", "EC"))), LoopbackConnections.OPEN, atB);
      SSLContext otherTls = tls(theirs, theirs.issue("a", "a", "EC"));
      PeerConnections a =
          net.open(named("a", otherTls), LoopbackConnections.OPEN, new RecordingReceiver());
      a.addNode("b", b.address(), 1);
      assertThatThrownBy(() -> a.send("b", text("x")))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("has another network key (or certificate)")
          .extracting(e -> ((ClusterException) e).refused())
          .isEqualTo(true);
      assertThat(atB.all).isEmpty();
    }
  }
}
