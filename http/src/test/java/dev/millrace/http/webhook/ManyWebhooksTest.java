package dev.millrace.http.webhook;

import static dev.millrace.http.webhook.WebhookFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobLabels;
import dev.millrace.core.job.JobRelations;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.LeaderLease;
import dev.millrace.core.store.Subscription;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** More webhooks than fit into memory, nearly all to a receiver that hangs. */
class ManyWebhooksTest {
  private static final int MANY = 100_000;

  private final Map<String, String> notes = new ConcurrentHashMap<>();

  /** A store with notes only; every job is a copy of the same ended job. */
  private JobStore store(JobView like, List<LogEntry> log, Webhook usual, Webhook last) {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) ->
                switch (method.getName()) {
                  case "noteNames" -> List.copyOf(notes.keySet());
                  case "readNote" -> Optional.ofNullable(notes.get(arguments[1]));
                  case "writeNote" -> notes.put((String) arguments[1], (String) arguments[2]);
                  case "deleteNote" -> notes.remove(arguments[1]);
                  case "find" -> Optional.of(view(like, (JobId) arguments[0], usual, last));
                  case "events" ->
                      log.stream().filter(entry -> entry.number() > (long) arguments[1]).toList();
                  case "onChange" -> (Subscription) () -> {};
                  case "leaderLease" -> LeaderLease.ALONE;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static JobView view(JobView like, JobId id, Webhook usual, Webhook last) {
    JobHeader old = like.header();
    JobHeader header =
        new JobHeader(
            id,
            new JobLabels(old.name(), List.of(), old.metadata(), old.data()),
            JobRelations.NONE,
            old.priority(),
            false,
            null,
            List.of(id.part(2) == MANY - 1 ? last : usual));
    return new JobView(
        header, like.state(), like.times(), like.error(), like.lastEvent(), like.stages());
  }

  @Test
  void manyWebhooksOfAHangingReceiverLeaveRoomForOthers() throws Exception {
    for (int i = 0; i < MANY; i++) {
      notes.put(JobId.of(1_700_000_000_000_000L + i, 1, i).value(), "{\"after\":0}");
    }
    try (FakeWebhookReceiver hangs = new FakeWebhookReceiver(FakeWebhookReceiver.hangs());
        FakeWebhookReceiver alive = new FakeWebhookReceiver(FakeWebhookReceiver.status(200));
        WebhookFixture fixture = new WebhookFixture()) {
      JobId id = fixture.done();
      JobView like = fixture.store.find(id).orElseThrow();
      List<LogEntry> log = fixture.store.events(id, 0, 100);
      JobStore store =
          store(like, log, new Webhook(hangs.url(), Set.of()), new Webhook(alive.url(), Set.of()));
      try (WebhookService webhooks =
          WebhookService.open(store, fixture.settings, WebhookService.Environment.standard())) {
        until(
            "the queue is crowded",
            () -> webhooks.stats().pending() >= WebhookScheduler.CAPACITY / 8);
        fixture.clock.advance(Duration.ofSeconds(10));
        webhooks.wake();
        until(
            "the working receiver gets its event",
            () -> {
              assertThat(webhooks.stats().pending()).isLessThanOrEqualTo(WebhookScheduler.CAPACITY);
              return alive.requests.size() == 1;
            });
        until("its note is deleted", () -> notes.size() == MANY - 1);
        assertThat(hangs.requests).hasSize(4);
      }
    }
  }
}
