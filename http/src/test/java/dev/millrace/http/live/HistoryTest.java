package dev.millrace.http.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.api.live.LiveRates;
import dev.millrace.api.live.ThroughputHistory;
import dev.millrace.api.live.ThroughputHistory.Sample;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.LogCapture;
import dev.millrace.http.openapi.DocumentedResponseCheck;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The throughput of the last hour, with a clock that the test steps. */
@Timeout(60)
class HistoryTest {
  private final ManualClock clock = new ManualClock();
  private final LiveTestServer api =
      new LiveTestServer(
          new MemoryStoreFixture().open(ContractSettings.steady(clock)),
          HttpSettings.loopback(0),
          clock);

  @AfterEach
  void close() {
    api.close();
  }

  private void pass() {
    clock.advance(History.INTERVAL);
    api.live.history().sample();
  }

  private ThroughputHistory history(String query) throws Exception {
    return ThroughputHistory.fromJson(api.json("/v1/history" + query));
  }

  @Test
  void samplesHaveTheRatesSinceTheLastOne() throws Exception {
    pass();
    api.submit("two", "resize", "a", "b");
    pass();
    List<Claim> claims =
        api.store.claim(new ClaimRequest(Set.of("resize"), 2, "w", Duration.ofHours(1)));
    pass();
    claims.forEach(claim -> api.store.complete(claim, TaskResult.of("x")));
    pass();
    pass();
    List<Sample> samples = history("").samples();
    long start = ManualClock.START.getEpochSecond();
    assertThat(samples)
        .extracting(Sample::at)
        .containsExactly(start + 5, start + 10, start + 15, start + 20, start + 25);
    assertThat(samples).extracting(Sample::waiting).containsExactly(0L, 2L, 0L, 0L, 0L);
    assertThat(samples).extracting(Sample::running).containsExactly(0L, 0L, 2L, 0L, 0L);
    assertThat(samples)
        .extracting(sample -> sample.rates().tasks())
        .containsExactly(0.0, 0.0, 0.0, 0.4, 0.0);
    assertThat(samples).extracting(Sample::batchFill).containsOnlyNulls();
  }

  @Test
  void anHourIsKept() throws Exception {
    for (int i = 0; i < 800; i++) {
      pass();
    }
    ThroughputHistory hour = history("");
    assertThat(hour.samples()).hasSize(720);
    assertThat(hour.samples().getLast().at())
        .isEqualTo(ManualClock.START.plusSeconds(4_000).getEpochSecond());
    assertThat(history("?minutes=1").samples()).isEqualTo(hour.samples().subList(708, 720));
    JsonObject json = api.json("/v1/history?minutes=2");
    new DocumentedResponseCheck().checkSchema("ThroughputHistory", json);
    assertThat(Json.write(ThroughputHistory.fromJson(json).toJson())).isEqualTo(Json.write(json));
  }

  @Test
  void wrongRequestsAreRefused() throws Exception {
    for (String minutes : List.of("0", "61", "x", "1.5")) {
      assertThat(api.json("/v1/history?minutes=" + minutes).string("code"))
          .as(minutes)
          .isEqualTo("VALIDATION_ERROR");
    }
  }

  /** Samples come every five seconds, and a database may be away for a night. */
  @Test
  void aStoreThatFailsDoesNotFillTheLog() {
    AtomicReference<RuntimeException> failure =
        new AtomicReference<>(new StoreException("broken for the test", null, Trouble.FAILING));
    History history =
        new History(
            new History.Sources(
                () -> new LiveRates(0, 0, 0),
                () -> {
                  throw failure.get();
                },
                () -> null),
            clock);
    try (LogCapture log = new LogCapture()) {
      history.sampleSafely();
      assertThat(log.lines()).as("the store says it itself").isEmpty();
      failure.set(new IllegalStateException("broken for the test"));
      for (int i = 0; i < 10; i++) {
        history.sampleSafely();
      }
      assertThat(log.lines()).containsExactly("samples of the throughput are missing");
    }
  }
}
