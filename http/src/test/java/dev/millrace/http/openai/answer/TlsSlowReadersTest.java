package dev.millrace.http.openai.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.IdleClients;
import dev.millrace.http.LogCapture;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.FakeGeneration;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.openai.request.ClientFields;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.stream.EventStream;
import dev.millrace.http.transport.TlsFiles;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.DirectGeneration;
import dev.millrace.server.infer.direct.DirectRequest;
import dev.millrace.tls.PemReader;
import dev.millrace.tls.TestCertificateAuthority;
import dev.millrace.tls.TestCertificateAuthority.Issued;
import dev.millrace.tls.TestCertificateAuthority.Validity;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients over TLS that ask for a stream and never read it. */
@Timeout(60)
class TlsSlowReadersTest {
  private static final int CLIENTS = 64;
  private static final int TOKENS = 300;
  private static final OutputPart TOKEN = new OutputPart.Text("a".repeat(100_000));

  @TempDir private static Path directory;
  private static TlsFiles files;
  private static SSLContext trusting;

  private final Queue<FakeGeneration> answers = new ConcurrentLinkedQueue<>();
  private final AtomicLong tokensRead = new AtomicLong();
  private final List<Socket> clients = new ArrayList<>();

  @BeforeAll
  static void issueCertificate() throws Exception {
    Issued issued =
        new TestCertificateAuthority(directory, "authority")
            .issueServer("server", "EC", Validity.now());
    files = new TlsFiles(issued.certificate(), issued.key());
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null);
    store.setCertificateEntry("server", PemReader.certificates(issued.certificate()).getFirst());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    trusting = SSLContext.getInstance("TLS");
    trusting.init(null, trust.getTrustManagers(), null);
  }

  @AfterEach
  void closeClients() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
  }

  /** Streams answers that are larger than the buffers of a connection. */
  private final class Group implements RouteGroup {
    @Override
    public String prefix() {
      return "/large";
    }

    @Override
    public List<Route> routes() {
      return List.of(new Route("GET", "/large", "large", KeyScope.READ, this::stream));
    }

    private ApiResponse stream(ApiRequest request) throws InterruptedException {
      ChoiceReader reader =
          new ChoiceReader(
              this::answer, ClientFields.chat(JsonObject.create()), Duration.ofSeconds(10));
      DirectRequest choice = new DirectRequest(JsonObject.create(), 0, Instant.EPOCH, true);
      return reader.stream(request, List.of(choice), Listener::new);
    }

    private DirectGeneration answer(DirectRequest request) {
      FakeGeneration answer = new FakeGeneration();
      for (int i = 0; i < TOKENS; i++) {
        answer.parts(TOKEN);
      }
      answers.add(answer);
      return answer;
    }

    @Override
    public JsonObject error(Problem problem, String requestId) {
      return OpenAiError.body(problem);
    }
  }

  /** Sends the text of each token. */
  private final class Listener implements ChoiceReader.Listener {
    private final EventStream events;

    Listener(EventStream events) {
      this.events = events;
    }

    @Override
    public void accepted(int choice, String model) {}

    @Override
    public void token(int choice, AnswerEvent.TokenChosen token) throws IOException {
      tokensRead.incrementAndGet();
      events.data(((OutputPart.Text) token.parts().getFirst()).text());
    }

    @Override
    public void ended(int choice, AnswerEvent.Ended ended) {}

    @Override
    public void finished() {}
  }

  private HttpService open(Duration writeTimeout) {
    HttpLimits limits =
        HttpLimits.DEFAULT.withTimeouts(
            Duration.ofSeconds(60), Duration.ofSeconds(30), writeTimeout);
    return HttpService.open(
        HttpSettings.loopback(0).withTls(files).withLimits(limits), List.of(new Group()));
  }

  private void connect(HttpService service) throws IOException {
    Socket plain = new Socket();
    clients.add(plain);
    plain.setReceiveBufferSize(4096);
    plain.connect(service.address());
    SSLSocket client =
        (SSLSocket) trusting.getSocketFactory().createSocket(plain, "localhost", 0, true);
    client.startHandshake();
    client
        .getOutputStream()
        .write("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aClientThatNeverReadsIsDroppedWithTheReasonInTheLog() throws Exception {
    try (LogCapture said = new LogCapture();
        HttpService service = open(Duration.ofMillis(300))) {
      connect(service);
      await().until(() -> answers.size() == 1 && answers.peek().closed.getCount() == 0);
      await().until(() -> service.streams() == 0 && service.running() == 0);
      assertThat(said.lines())
          .singleElement()
          .asString()
          .startsWith("GET /large of key \"local\": its client read nothing for 0.3 s");
    }
  }

  @Test
  void clientsThatNeverReadCostNoThreadsAndLittleMemory() throws Exception {
    try (HttpService service = open(Duration.ofSeconds(50))) {
      connect(service);
      awaitFullBuffers(service); // all threads that any stream needs are there now
      int threads = IdleClients.platformThreads();
      long memory = usedMemory();
      for (int i = 1; i < CLIENTS; i++) {
        connect(service);
      }
      awaitFullBuffers(service);
      assertThat(IdleClients.platformThreads() - threads).isLessThan(32);
      assertThat((usedMemory() - memory) / CLIENTS)
          .as("bytes of heap for a stream, with its client and a token of 100 KB on its way")
          .isLessThan(1_000_000);
      closeClients();
      await().until(() -> service.streams() == 0 && service.running() == 0);
      assertThat(answers).allMatch(answer -> answer.closed.getCount() == 0);
    }
  }

  /** Until all clients have their streams, and none of them has moved between two looks. */
  private void awaitFullBuffers(HttpService service) {
    AtomicLong before = new AtomicLong(-1);
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(200))
        .until(
            () ->
                service.streams() == clients.size()
                    && tokensRead.get() >= clients.size()
                    && before.getAndSet(tokensRead.get()) == tokensRead.get());
    assertThat(tokensRead.get()).isLessThan((long) TOKENS * clients.size());
  }

  private static long usedMemory() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
