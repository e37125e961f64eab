package dev.millrace.http.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import dev.millrace.http.webhook.DeliveryQueue.PendingDelivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeliveryQueueTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static WebhookKey line(int n) {
    return new WebhookKey(JobId.of(n, 1, 0), 0);
  }

  private static PendingDelivery parcel(int n, String host) {
    return new PendingDelivery(line(n), host, new WebhookEvent(1, NOW, Webhook.Event.COMPLETED, 0));
  }

  private static List<String> takeOffAll(DeliveryQueue agenda) {
    List<String> hosts = new ArrayList<>();
    for (Optional<PendingDelivery> next = agenda.startNext();
        next.isPresent();
        next = agenda.startNext()) {
      hosts.add(next.get().host());
    }
    return hosts;
  }

  @Test
  void hostsTakeTurnsAndNoneHasMoreThanItsShareAtOnce() {
    DeliveryQueue agenda = new DeliveryQueue(100, 5, 2);
    for (int i = 0; i < 4; i++) {
      agenda.enqueue(parcel(i, "a"));
    }
    agenda.enqueue(parcel(10, "b"));
    agenda.enqueue(parcel(11, "c"));
    agenda.enqueue(parcel(12, "d"));
    assertThat(takeOffAll(agenda)).containsExactly("a", "b", "c", "d", "a");
    agenda.finish(parcel(0, "a"));
    assertThat(takeOffAll(agenda)).containsExactly("a");
    assertThat(takeOffAll(agenda)).isEmpty();
  }

  @Test
  void aLineIsNeverOnItsWayTwice() {
    DeliveryQueue agenda = new DeliveryQueue(100, 5, 5);
    agenda.enqueue(parcel(1, "a"));
    agenda.enqueue(parcel(1, "a"));
    assertThat(takeOffAll(agenda)).hasSize(1);
    agenda.enqueue(parcel(1, "a"));
    agenda.schedule(line(1), NOW);
    assertThat(agenda.isInFlight(line(1))).isTrue();
    assertThat(takeOffAll(agenda)).isEmpty();
    assertThat(agenda.pollDue(NOW)).isEmpty();
    assertThat(agenda.finish(parcel(1, "a"))).as("somebody asked meanwhile").isTrue();
    agenda.enqueue(parcel(1, "a"));
    assertThat(takeOffAll(agenda)).hasSize(1);
    assertThat(agenda.finish(parcel(1, "a"))).isFalse();
    assertThat(agenda.size()).isZero();
  }

  @Test
  void whoHasLongestToWaitIsForgottenFirst() {
    DeliveryQueue agenda = new DeliveryQueue(3, 1, 1);
    for (int i = 1; i <= 5; i++) {
      agenda.schedule(line(i), NOW.plusSeconds(i));
    }
    assertThat(agenda.size()).isEqualTo(3);
    assertThat(agenda.firstEvictedDue()).contains(NOW.plusSeconds(4));
    assertThat(agenda.nextDue()).contains(NOW.plusSeconds(1));
    assertThat(agenda.pollDue(NOW)).isEmpty();
    assertThat(agenda.pollDue(NOW.plusSeconds(1))).contains(line(1));
    agenda.schedule(line(2), NOW.plusSeconds(9));
    assertThat(agenda.pollDue(NOW.plusSeconds(8))).contains(line(3));
    assertThat(agenda.pollDue(NOW.plusSeconds(8))).isEmpty();
  }

  @Test
  void oneHostCannotTakeAllTheRoom() {
    DeliveryQueue agenda = new DeliveryQueue(40, 1, 1);
    for (int i = 1; i <= 100; i++) {
      agenda.enqueue(parcel(i, "dead"));
    }
    assertThat(agenda.size()).isEqualTo(10);
    assertThat(agenda.firstEvictedDue()).isPresent();
    agenda.enqueue(parcel(200, "alive"));
    assertThat(takeOffAll(agenda)).containsExactly("dead");
    agenda.finish(parcel(1, "dead"));
    assertThat(takeOffAll(agenda)).containsExactly("alive");
  }
}
