package dev.millrace.http.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.api.live.LiveCounts;
import dev.millrace.api.live.LiveRates;
import dev.millrace.api.live.LiveState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.live.LiveFeed.Snapshot;
import dev.millrace.http.live.LiveFeed.Watcher;
import dev.millrace.http.stream.EventStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One feed for all who watch. */
@Timeout(60)
class LiveFeedTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger computed = new AtomicInteger();
  private final LiveFeed feed = new LiveFeed(this::state, Duration.ofMillis(5));

  private LiveState state() {
    return new LiveState(
        Instant.ofEpochSecond(computed.incrementAndGet()),
        new LiveCounts(Map.of(), Map.of(), Map.of(), 0, true),
        List.of(),
        waiting.get(),
        List.of(),
        List.of(),
        0,
        new LiveRates(0, 0, 0),
        List.of());
  }

  @AfterEach
  void close() {
    feed.close();
  }

  @Test
  void itRunsOnlyWhileSomebodyWatches() throws Exception {
    assertThat(feed.isRunning()).isFalse();
    Watcher one = feed.watch();
    Watcher other = feed.watch();
    assertThat(feed.awaitAfter(0, LONG)).isNotNull();
    one.close();
    assertThat(feed.isRunning()).isTrue();
    other.close();
    await().until(() -> !feed.isRunning());
    int then = computed.get();
    waiting.set(7);
    try (Watcher _ = feed.watch()) {
      Snapshot fresh = feed.awaitAfter(0, LONG);
      assertThat(fresh).isNotNull();
      assertThat(fresh.state().waitingTotal()).as("not the one from before").isEqualTo(7);
      assertThat(computed.get()).isGreaterThan(then);
    }
  }

  @Test
  void onlyChangesAreSent() throws Exception {
    try (Watcher _ = feed.watch()) {
      Snapshot first = feed.awaitAfter(0, LONG);
      assertThat(first).isNotNull();
      int seen = computed.get();
      await().until(() -> computed.get() > seen + 5);
      assertThat(feed.awaitAfter(first.number(), Duration.ZERO)).isNull();
      waiting.incrementAndGet();
      assertThat(feed.awaitAfter(first.number(), LONG)).isNotNull();
    }
  }

  @Test
  void tenClientsGetTheSameStateThatWasComputedOnce() throws Exception {
    try (LiveTestServer api = new LiveTestServer(new StubModel())) {
      List<EventReader> clients = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        clients.add(api.events("/v1/live"));
      }
      for (EventReader client : clients) {
        assertThat(client.require().name()).isEqualTo("live");
      }
      assertThat(api.service.streams()).isEqualTo(10);
      api.submit("seen", "nowhere", "a");
      List<JsonObject> states = new ArrayList<>();
      for (EventReader client : clients) {
        states.add(client.await(state -> state.integer("waitingTotal") == 1));
      }
      assertThat(states).as("the time is in it, too").containsOnly(states.getFirst());
      clients.forEach(EventReader::close);
      await().atMost(LONG).until(() -> !api.live.feed().isRunning());
      assertThat(api.service.streams()).isZero();
    }
  }

  /** It would ask a closed feed again and again, without a pause. */
  @Test
  void aStreamEndsWithItsFeed() throws Exception {
    LiveStream stream = new LiveStream(feed, () -> false);
    StringBuilder sent = new StringBuilder();
    feed.close();
    stream.write(new EventStream(bytes -> sent.append(new String(bytes, UTF_8))));
    assertThat(sent.toString()).isEqualTo("retry: 1000\n\n");
  }

  @Test
  void itSurvivesAStateThatCannotBeComputed() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (LiveFeed failing =
        new LiveFeed(
            () -> {
              if (calls.incrementAndGet() < 3) {
                throw new IllegalStateException("broken for the test");
              }
              return state();
            },
            Duration.ofMillis(5))) {
      try (Watcher _ = failing.watch()) {
        assertThat(failing.awaitAfter(0, LONG)).isNotNull();
      }
    }
  }
}
