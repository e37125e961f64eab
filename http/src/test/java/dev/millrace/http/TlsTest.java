package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.transport.TlsFiles;
import dev.millrace.tls.PemReader;
import dev.millrace.tls.TestCertificateAuthority;
import dev.millrace.tls.TestCertificateAuthority.Issued;
import dev.millrace.tls.TestCertificateAuthority.Validity;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** HTTP over TLS, with certificates from PEM files. */
@Tag("slow")
final class TlsTest {
  @TempDir private static Path shared;
  private static TestCertificateAuthority authority;
  private static TlsFiles rsa;
  private static TlsFiles ec;
  private static TlsFiles ed;
  private static TlsFiles old;

  @TempDir private Path own;

  @BeforeAll
  static void issueCertificates() throws Exception {
    authority = new TestCertificateAuthority(shared, "authority");
    rsa = issue("rsa", "RSA", Validity.now());
    ec = issue("ec", "EC", Validity.now());
    ed = issue("ed", "Ed25519", Validity.now());
    old = issue("old", "EC", Validity.expired());
  }

  private static TlsFiles issue(String name, String algorithm, Validity validity) throws Exception {
    Issued issued = authority.issueServer(name, algorithm, validity);
    String text = "made for tests\n" + Files.readString(issued.certificate());
    Files.writeString(issued.certificate(), text);
    return new TlsFiles(issued.certificate(), issued.key());
  }

  private static HttpService open(TlsFiles files) {
    return TestRouteGroup.open(
        HttpSettings.loopback(0).withTls(files), new TestRouteGroup("").named("GET", "/x"));
  }

  private static HttpClient client(TlsFiles... trusted) throws Exception {
    return HttpClient.newBuilder().sslContext(trusting(trusted)).build();
  }

  private static SSLContext trusting(TlsFiles... trusted) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null);
    for (TlsFiles files : trusted) {
      store.setCertificateEntry(
          files.certificate().toString(), PemReader.certificates(files.certificate()).getFirst());
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static HttpResponse<String> get(HttpClient client, HttpService service) throws Exception {
    return client.send(
        HttpRequest.newBuilder(service.uri().resolve("/x")).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static String subject(HttpResponse<?> response) throws SSLPeerUnverifiedException {
    return ((X509Certificate) response.sslSession().orElseThrow().getPeerCertificates()[0])
        .getSubjectX500Principal()
        .getName();
  }

  static Stream<TlsFiles> kinds() {
    return Stream.of(rsa, ec, ed);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void speaksHttp2OverTls(TlsFiles files) throws Exception {
    try (HttpService service = open(files);
        HttpClient client = client(files)) {
      assertThat(service.uri().getScheme()).isEqualTo("https");
      HttpResponse<String> response = get(client, service);
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(response.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
    }
  }

  @Test
  void speaksHttp1OverTlsToo() throws Exception {
    try (HttpService service = open(ec);
        HttpClient client = client(ec)) {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(service.uri().resolve("/x"))
                  .version(HttpClient.Version.HTTP_1_1)
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    }
  }

  @Test
  void whatIsWatchedWithoutTlsIsWatchedWithIt() throws Exception {
    HttpLimits limits =
        HttpLimits.DEFAULT.withTimeouts(
            Duration.ofSeconds(60), Duration.ofMillis(700), Duration.ofSeconds(30));
    HttpSettings settings = HttpSettings.loopback(0).withTls(ec).withLimits(limits);
    try (HttpService service =
        TestRouteGroup.open(settings, new TestRouteGroup("").named("GET", "/x"))) {
      try (RawHttp2Client frames = RawHttp2Client.over(socket(service, "h2"))) {
        assertThat(frames.get(1, "/x").answer(1)).contains("reached");
        frames.send(
            RawHttp2Client.HEADERS,
            RawHttp2Client.END_STREAM,
            3,
            RawHttp2Client.header("GET", "/x"));
        byte[] empty = RawHttp2Client.frame(RawHttp2Client.CONTINUATION, 0, 3, new byte[0]);
        assertThat(frames.flood(empty, 10_000_000)).isLessThan(10_000_000);
      }
      try (SSLSocket socket = socket(service, "http/1.1")) {
        assertThat(said(socket, "GET /x HTTP/1.0\r\n\r\n")).contains(" 505 ");
      }
      try (SSLSocket socket = socket(service, "http/1.1")) {
        assertThat(said(socket, "GET /x HT")).contains(" 408 ");
      }
    }
  }

  private static String said(SSLSocket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static SSLSocket socket(HttpService service, String protocol) throws Exception {
    SSLSocket socket =
        (SSLSocket)
            trusting(ec).getSocketFactory().createSocket("127.0.0.1", service.address().getPort());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    socket.setSSLParameters(parameters);
    socket.setSoTimeout(20_000);
    socket.startHandshake();
    assertThat(socket.getApplicationProtocol()).isEqualTo(protocol);
    return socket;
  }

  @Test
  void plainTextOnATlsPortGetsNoAnswer() throws Exception {
    try (HttpService service = open(ec);
        RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("GET", "/x");
      assertThatThrownBy(() -> wire.read(false)).isInstanceOf(Exception.class);
    }
  }

  @Test
  void renewedCertificateIsUsedWithoutARestart() throws Exception {
    TlsFiles files = new TlsFiles(own.resolve("c.pem"), own.resolve("k.pem"));
    copy(rsa, files, 1);
    try (HttpService service = open(files)) {
      assertThat(seen(service)).isEqualTo("CN=rsa");
      Files.writeString(files.certificate(), "half written");
      Files.setLastModifiedTime(files.certificate(), FileTime.from(Instant.ofEpochSecond(2)));
      assertThat(seen(service)).as("a broken file changes nothing").isEqualTo("CN=rsa");
      copy(ec, files, 3);
      assertThat(seen(service)).isEqualTo("CN=ec");
    }
  }

  private static String seen(HttpService service) throws Exception {
    try (HttpClient client = client(rsa, ec)) {
      return subject(get(client, service));
    }
  }

  private static void copy(TlsFiles from, TlsFiles to, long second) throws IOException {
    Files.writeString(to.certificate(), Files.readString(from.certificate()));
    Files.writeString(to.key(), Files.readString(from.key()));
    FileTime time = FileTime.from(Instant.ofEpochSecond(second));
    Files.setLastModifiedTime(to.certificate(), time);
    Files.setLastModifiedTime(to.key(), time);
  }

  private void refuses(TlsFiles files, String... words) {
    assertThatThrownBy(() -> open(files))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .contains(words);
  }

  private Path file(String text) throws IOException {
    return Files.writeString(Files.createTempFile(own, "f", ".pem"), text);
  }

  @Test
  void everythingThatCanBeWrongWithACertificateIsSaid() throws IOException {
    Path missing = own.resolve("nothing.pem");
    refuses(new TlsFiles(missing, ec.key()), "nothing.pem", "does not exist");
    refuses(new TlsFiles(own, ec.key()), "is a directory");
    refuses(new TlsFiles(file(""), ec.key()), "BEGIN CERTIFICATE");
    refuses(new TlsFiles(ec.key(), ec.key()), "BEGIN CERTIFICATE");
    refuses(
        new TlsFiles(file(TestCertificateAuthority.pem("CERTIFICATE", new byte[9])), ec.key()),
        "number 1",
        "cannot be read");
    refuses(old, "ended on");
  }

  @Test
  void everythingThatCanBeWrongWithAKeyIsSaid() throws IOException {
    Path certificate = ec.certificate();
    refuses(new TlsFiles(certificate, own.resolve("no.key")), "no.key", "does not exist");
    refuses(new TlsFiles(certificate, certificate), "BEGIN PRIVATE KEY");
    refuses(
        new TlsFiles(certificate, file(TestCertificateAuthority.pem("PRIVATE KEY", new byte[9]))),
        "broken");
    refuses(
        new TlsFiles(
            certificate, file(TestCertificateAuthority.pem("ENCRYPTED PRIVATE KEY", new byte[9]))),
        "is encrypted",
        "openssl pkcs8");
    refuses(
        new TlsFiles(
            certificate, file(TestCertificateAuthority.pem("RSA PRIVATE KEY", new byte[9]))),
        "not PKCS#8",
        "-topk8");
    refuses(new TlsFiles(certificate, rsa.key()), "does not belong");
  }
}
