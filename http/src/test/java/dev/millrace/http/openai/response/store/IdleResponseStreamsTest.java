package dev.millrace.http.openai.response.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.IdleClients;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.openai.OpenAiRouteGroup;
import dev.millrace.http.openai.response.ResponseRoutes;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many streams of one stored response that runs. */
class IdleResponseStreamsTest {
  private static final int STREAMS = 1_000;

  private final StoredResponseFixture fixture = new StoredResponseFixture();
  private final AtomicInteger reads = new AtomicInteger();

  private Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("outputSoFar")) {
      reads.incrementAndGet();
    }
    return method.invoke(fixture.store, arguments);
  }

  @Test
  void streamsNeedNoPlatformThreadsAndLeaveNothingWhenTheyAreClosed() throws Exception {
    JobStore counted =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(), new Class<?>[] {JobStore.class}, this::call);
    InferenceAccess models = new InferenceAccess();
    Duration keep = Duration.ofDays(36_500); // the store's clock is behind that of the routes
    ResponseRoutes routes = ResponseRoutes.over(counted, models, _ -> {}, keep);
    StoredResponse response = fixture.submit("local", true);
    Claim claim = fixture.claim(response);
    fixture.journal(claim, "first");
    String target = "/v1/responses/" + response.head().ids().response() + "?stream=true";
    try (fixture;
        HttpService service =
            HttpService.open(
                HttpSettings.loopback(0), List.of(new OpenAiRouteGroup(models, routes)))) {
      try (IdleClients clients = new IdleClients(service, 1, target)) {
        clients.read("first");
      }
      int threads = IdleClients.platformThreads();
      try (IdleClients clients = new IdleClients(service, STREAMS, target)) {
        clients.read("first");
        assertThat(service.streams()).isGreaterThanOrEqualTo(STREAMS);
        assertThat(IdleClients.platformThreads() - threads).isLessThan(32);
        fixture.journal(claim, "second");
        clients.read("second");
      }
      int before = reads.get();
      fixture.journal(claim, "third");
      await().atMost(Duration.ofSeconds(20)).until(() -> service.running() == 0);
      assertThat(service.streams()).isZero();
      assertThat(reads.get()).as("reads for clients that have left").isEqualTo(before);
    }
  }
}
