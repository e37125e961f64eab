package dev.millrace.http.openai.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow;
import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.openai.response.store.ResponseStore;
import dev.millrace.http.openai.response.store.StoredResponse;
import dev.millrace.http.openai.response.stream.ResponseHead;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.Route;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.run.StoredOutputFormat;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What makes stored responses start, and what does not. */
@Timeout(60)
class ResponseStartTest {
  private final JobStore store =
      new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC()));

  @AfterEach
  void close() {
    store.close();
  }

  private StoredResponse submit() {
    JobId job = Work.generateId();
    JsonObject fields = JsonObject.create().put("model", "house");
    ResponseHead head = new ResponseHead(StoredResponse.ids(job), 10, false, fields);
    StoredResponse response = new StoredResponse(job, "anna", false, head);
    new ResponseStore(store, StoredOutputFormat::parser)
        .submit(
            new ResponseStore.Submission(
                response,
                List.of(Map.of("id", "msg_1")),
                Json.object("{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"),
                TraceContext.start()));
    return response;
  }

  /** A key that may only read asks for the events of a response. */
  private record StreamRequest(String id) implements ApiRequest {
    @Override
    public String requestId() {
      return "3f1d5c1e-8a0b-4f0e-9a57-2b6f6d0f9c11";
    }

    @Override
    public Principal principal() {
      return new Principal("anna", Set.of(KeyScope.READ));
    }

    @Override
    public String path() {
      return "/v1/responses/" + id;
    }

    @Override
    public String pathParameter(String name) {
      return id;
    }

    @Override
    public Optional<String> query(String name) {
      return name.equals("stream") ? Optional.of("true") : Optional.empty();
    }

    @Override
    public Optional<String> header(String name) {
      return Optional.empty();
    }

    @Override
    public @Nullable Object body() {
      return null;
    }

    @Override
    public @Nullable TraceContext trace() {
      return null;
    }
  }

  @Test
  void readingAStreamStartsNothing() throws InterruptedException {
    StoredResponse response = submit();
    List<JobId> started = new ArrayList<>();
    try (ResponseRoutes routes =
        ResponseRoutes.over(store, new InferenceAccess(), started::add, Duration.ofDays(1))) {
      Route get =
          routes.routes().stream()
              .filter(route -> route.operationId().equals("getResponse"))
              .findFirst()
              .orElseThrow();
      assertThat(get.scope()).isEqualTo(KeyScope.READ);
      get.handler().handle(new StreamRequest(response.head().ids().response()));
      assertThat(started).isEmpty();
    }
  }

  /** The API may listen before there is a server, or afterwards. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aServerStartsWhatAnEarlierOneLeftWithoutASlot(boolean listensFirst) throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Worker worker =
        Worker.of(
            "generate",
            task -> {
              if (task.text().equals("slow")) {
                busy.countDown();
                go.await();
              }
              return "";
            });
    Server server = Server.builder(store).slots(1).worker(worker).build();
    try (HttpApi api = HttpApi.over(store, HttpSettings.loopback(0), null)) {
      JobId slow = store.submit(JobSpec.prompt("generate", "slow"));
      server.start();
      assertThat(busy.await(30, TimeUnit.SECONDS)).isTrue();
      StoredResponse response = submit();
      if (listensFirst) {
        api.open(Set.of("generate"), Set.of(), Optional::empty);
        api.attach(server, null, null);
      } else {
        api.open(server, Set.of("generate"), null);
      }
      assertThat(new Flow(store).await(response.job(), Duration.ofSeconds(30)).isFinal()).isTrue();
      assertThat(store.state(slow)).contains(JobState.IN_PROGRESS);
      go.countDown();
    } finally {
      go.countDown();
      server.close();
    }
  }
}
