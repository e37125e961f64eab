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

  private static PendingDelivery delivery(int n, String host) {
    return new PendingDelivery(line(n), host, new WebhookEvent(1, NOW, Webhook.Event.COMPLETED, 0));
  }

  private static List<String> takeOffAll(DeliveryQueue queue) {
    List<String> hosts = new ArrayList<>();
    for (Optional<PendingDelivery> next = queue.startNext();
        next.isPresent();
        next = queue.startNext()) {
      hosts.add(next.get().host());
    }
    return hosts;
  }

  @Test
  void hostsTakeTurnsWithinTheirLimit() {
    DeliveryQueue queue = new DeliveryQueue(100, 5, 2);
    for (int i = 0; i < 4; i++) {
      queue.enqueue(delivery(i, "a"));
    }
    queue.enqueue(delivery(10, "b"));
    queue.enqueue(delivery(11, "c"));
    queue.enqueue(delivery(12, "d"));
    assertThat(takeOffAll(queue)).containsExactly("a", "b", "c", "d", "a");
    queue.finish(delivery(0, "a"));
    assertThat(takeOffAll(queue)).containsExactly("a");
    assertThat(takeOffAll(queue)).isEmpty();
  }

  @Test
  void webhookIsNeverInFlightTwice() {
    DeliveryQueue queue = new DeliveryQueue(100, 5, 5);
    queue.enqueue(delivery(1, "a"));
    queue.enqueue(delivery(1, "a"));
    assertThat(takeOffAll(queue)).hasSize(1);
    queue.enqueue(delivery(1, "a"));
    queue.schedule(line(1), NOW);
    assertThat(queue.isInFlight(line(1))).isTrue();
    assertThat(takeOffAll(queue)).isEmpty();
    assertThat(queue.pollDue(NOW)).isEmpty();
    assertThat(queue.finish(delivery(1, "a"))).as("checked meanwhile").isTrue();
    queue.enqueue(delivery(1, "a"));
    assertThat(takeOffAll(queue)).hasSize(1);
    assertThat(queue.finish(delivery(1, "a"))).isFalse();
    assertThat(queue.size()).isZero();
  }

  @Test
  void webhookDueLastIsEvictedFirst() {
    DeliveryQueue queue = new DeliveryQueue(3, 1, 1);
    for (int i = 1; i <= 5; i++) {
      queue.schedule(line(i), NOW.plusSeconds(i));
    }
    assertThat(queue.size()).isEqualTo(3);
    assertThat(queue.firstEvictedDue()).contains(NOW.plusSeconds(4));
    assertThat(queue.nextDue()).contains(NOW.plusSeconds(1));
    assertThat(queue.pollDue(NOW)).isEmpty();
    assertThat(queue.pollDue(NOW.plusSeconds(1))).contains(line(1));
    queue.schedule(line(2), NOW.plusSeconds(9));
    assertThat(queue.pollDue(NOW.plusSeconds(8))).contains(line(3));
    assertThat(queue.pollDue(NOW.plusSeconds(8))).isEmpty();
  }

  @Test
  void oneHostCannotUseTheWholeCapacity() {
    DeliveryQueue queue = new DeliveryQueue(40, 1, 1);
    for (int i = 1; i <= 100; i++) {
      queue.enqueue(delivery(i, "dead"));
    }
    assertThat(queue.size()).isEqualTo(10);
    assertThat(queue.firstEvictedDue()).isPresent();
    queue.enqueue(delivery(200, "alive"));
    assertThat(takeOffAll(queue)).containsExactly("dead");
    queue.finish(delivery(1, "dead"));
    assertThat(takeOffAll(queue)).containsExactly("alive");
  }
}
