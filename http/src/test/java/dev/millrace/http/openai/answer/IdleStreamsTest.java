package dev.millrace.http.openai.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.IdleClients;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.FakeGeneration;
import dev.millrace.http.openai.request.ClientFields;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.stream.EventStream;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.DirectGeneration;
import dev.millrace.server.infer.direct.DirectRequest;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Streams of answers without a token yet: what they cost, and that nothing of them stays. */
class IdleStreamsTest {
  private static final int STREAMS = 1_000;

  private final Queue<FakeGeneration> answers = new ConcurrentLinkedQueue<>();

  /** Streams answers that never have a token. */
  private final class Group implements RouteGroup {
    @Override
    public String prefix() {
      return "/idle";
    }

    @Override
    public List<Route> routes() {
      return List.of(new Route("GET", "/idle", "idle", KeyScope.READ, this::stream));
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
      answers.add(answer);
      return answer;
    }

    @Override
    public JsonObject error(Problem problem, String requestId) {
      return OpenAiError.body(problem);
    }
  }

  /** Sends that its answer was accepted, and no more. */
  private record Listener(EventStream events) implements ChoiceReader.Listener {
    @Override
    public void accepted(int choice, String model) throws IOException {
      events.data("accepted");
    }

    @Override
    public void token(int choice, AnswerEvent.TokenChosen token) {}

    @Override
    public void ended(int choice, AnswerEvent.Ended ended) {}

    @Override
    public void finished() {}
  }

  @Test
  void streamsNeedNoPlatformThreadsAndLeaveNothingWhenTheyAreClosed() throws Exception {
    try (HttpService service = HttpService.open(HttpSettings.loopback(0), List.of(new Group()))) {
      try (IdleClients one = new IdleClients(service, 1, "/idle")) {
        one.read("accepted"); // all threads that any stream needs are there now
        int threads = IdleClients.platformThreads();
        long memory = used();
        try (IdleClients clients = new IdleClients(service, STREAMS, "/idle")) {
          clients.read("accepted");
          assertThat(service.streams()).isEqualTo(STREAMS + 1);
          assertThat(IdleClients.platformThreads() - threads).isLessThan(32);
          assertThat((used() - memory) / STREAMS)
              .as("bytes of heap for a stream, with its client")
              .isLessThan(100_000);
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> service.streams() == 1);
      }
      await().atMost(Duration.ofSeconds(20)).until(() -> service.running() == 0);
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> answers.stream().allMatch(answer -> answer.closed.getCount() == 0));
      assertThat(answers).hasSize(STREAMS + 1);
    }
  }

  private static long used() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
