package dev.millrace.http.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.limits.HttpLimits;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who may watch, and how many. */
@Timeout(60)
class LiveAccessTest {

  @Test
  void watchingNeedsTheScopeToRead(@TempDir Path directory) throws Exception {
    Path keys = directory.resolve("keys");
    String reader = ApiKeyFile.add(keys, "reader", Set.of(KeyScope.READ));
    String worker = ApiKeyFile.add(keys, "worker", Set.of(KeyScope.WORK));
    try (LiveTestServer api = server(HttpSettings.loopback(0).withKeys(keys))) {
      JobId job = api.submit("x", "nowhere", "a");
      for (String path :
          List.of("/v1/live", "/v1/history", "/v1/tasks/" + LiveTestServer.task(job) + "/output")) {
        assertThat(status(api, path)).as(path).isEqualTo(401);
        assertThat(status(api, path, "Authorization", "Bearer " + worker)).as(path).isEqualTo(403);
        assertThat(status(api, path, "Authorization", "Bearer " + reader)).as(path).isEqualTo(200);
      }
    }
  }

  @Test
  void watchingCountsAsAStream() throws Exception {
    HttpLimits two =
        HttpLimits.DEFAULT.withConcurrency(
            HttpLimits.Concurrency.of(new HttpLimits.Cap(2, 2), new HttpLimits.Cap(2, 2)));
    try (LiveTestServer api = server(HttpSettings.loopback(0).withLimits(two))) {
      List<EventReader> open = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        open.add(api.events("/v1/live"));
        open.getLast().require();
      }
      HttpResponse<Stream<String>> refused = api.send("/v1/live");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      open.forEach(EventReader::close);
    }
  }

  @Test
  void streamsEndWhenTheServerStops() throws Exception {
    try (LiveTestServer api = server(HttpSettings.loopback(0))) {
      JobId job = api.submit("x", "nowhere", "a");
      try (EventReader live = api.events("/v1/live");
          EventReader output = api.output(job)) {
        live.require();
        assertThat(api.service.drain(Duration.ofSeconds(30))).isTrue();
        assertThat(output.next()).isNull();
      }
    }
  }

  private static LiveTestServer server(HttpSettings settings) {
    return new LiveTestServer(
        new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC())),
        settings,
        ProcessClock.system());
  }

  private static int status(LiveTestServer api, String path, String... headers) throws Exception {
    HttpResponse<Stream<String>> response = api.send(path, headers);
    response.body().close();
    return response.statusCode();
  }
}
