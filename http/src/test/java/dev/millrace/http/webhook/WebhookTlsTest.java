package dev.millrace.http.webhook;

import static dev.millrace.http.webhook.WebhookFixture.hook;
import static dev.millrace.http.webhook.WebhookFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebhookTlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private static SSLContext context;

  @BeforeAll
  static void makeCertificate(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("keys.p12");
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    List<String> command =
        List.of(
            keytool.toString(),
            "-genkeypair",
            "-alias",
            "test",
            "-keyalg",
            "EC",
            "-dname",
            "CN=receiver.example",
            "-ext",
            "SAN=dns:receiver.example",
            "-storetype",
            "PKCS12",
            "-keystore",
            file.toString(),
            "-storepass",
            new String(PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(output).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
    own.init(keys, PASSWORD);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("test", keys.getCertificate("test"));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
  }

  private static FakeWebhookReceiver receiver() throws Exception {
    return new FakeWebhookReceiver(
        context
            .getServerSocketFactory()
            .createServerSocket(0, 50, InetAddress.getLoopbackAddress()),
        FakeWebhookReceiver.status(200));
  }

  @Test
  void sendsOverTlsAndChecksTheNameInTheCertificate() throws Exception {
    try (FakeWebhookReceiver receiver = receiver();
        WebhookFixture fixture = new WebhookFixture()) {
      fixture.tls = context.getSocketFactory();
      fixture.resolver = _ -> new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")};
      fixture.open();
      JobId good = fixture.done(hook("https://receiver.example:" + receiver.port() + "/in"));
      until("it is sent", () -> !fixture.hasNote(good));
      assertThat(receiver.requests).hasSize(1);
      JobId bad = fixture.done(hook("https://somebody.example:" + receiver.port() + "/in"));
      until("it counts as a failure", () -> fixture.note(bad).contains("\"tries\":1"));
      assertThat(receiver.requests).hasSize(1);
    }
  }

  @Test
  void untrustedCertificateIsRefused() throws Exception {
    try (FakeWebhookReceiver receiver = receiver();
        WebhookFixture fixture = new WebhookFixture()) {
      fixture.resolver = _ -> new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")};
      fixture.open();
      JobId id = fixture.done(hook("https://receiver.example:" + receiver.port() + "/in"));
      until("it counts as a failure", () -> fixture.note(id).contains("\"tries\":1"));
      assertThat(receiver.requests).isEmpty();
    }
  }
}
