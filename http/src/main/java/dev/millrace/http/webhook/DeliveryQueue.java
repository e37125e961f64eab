package dev.millrace.http.webhook;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The webhooks in memory: those to check again later, those that wait for their receiver, and those
 * in flight. It is bounded: if it is full, it evicts the webhooks that are due last, and {@link
 * #firstEvictedDue} says when the notes must be read again. Not thread-safe.
 */
final class DeliveryQueue {

  /** A webhook with an event to deliver. */
  record PendingDelivery(WebhookKey key, String host, WebhookEvent event) {}

  private record Due(WebhookKey key, Instant at) {}

  private static final Comparator<Due> EARLIEST =
      Comparator.comparing(Due::at)
          .thenComparing(due -> due.key().job())
          .thenComparingInt(due -> due.key().index());

  private final int capacity;
  private final int maxConcurrent;
  private final int maxPerHost;
  private final Map<WebhookKey, Due> later = new HashMap<>();
  private final TreeSet<Due> order = new TreeSet<>(EARLIEST);
  private final Map<WebhookKey, PendingDelivery> waiting = new HashMap<>();
  private final Map<String, ArrayDeque<PendingDelivery>> queues = new HashMap<>();

  /** Hosts that may start a delivery, in turn. */
  private final LinkedHashSet<String> ready = new LinkedHashSet<>();

  private final Map<String, Integer> busy = new HashMap<>();

  /** The value says whether to check the webhook again after the delivery. */
  private final Map<WebhookKey, Boolean> inFlight = new HashMap<>();

  private @Nullable Instant firstEvicted;

  DeliveryQueue(int capacity, int maxConcurrent, int maxPerHost) {
    this.capacity = capacity;
    this.maxConcurrent = maxConcurrent;
    this.maxPerHost = maxPerHost;
  }

  /** All webhooks in the queue. */
  int size() {
    return later.size() + waiting.size() + inFlight.size();
  }

  /**
   * Whether so many webhooks wait for their receivers that the scan of notes should pause. This
   * limit is below the share of a single host.
   */
  boolean isCrowded() {
    return waiting.size() >= capacity / 8;
  }

  /** Whether the webhook is in flight; if so, it is checked again when the delivery ends. */
  boolean isInFlight(WebhookKey key) {
    return inFlight.replace(key, true) != null;
  }

  /** Checks the webhook again at that time. */
  void schedule(WebhookKey key, Instant at) {
    if (inFlight.containsKey(key) || waiting.containsKey(key)) {
      return;
    }
    remove(later.get(key));
    Due due = new Due(key, at);
    later.put(key, due);
    order.add(due);
    evictIfFull();
  }

  private void remove(@Nullable Due due) {
    if (due != null) {
      later.remove(due.key());
      order.remove(due);
    }
  }

  /** Removes and returns a webhook that is due. */
  Optional<WebhookKey> pollDue(Instant now) {
    if (order.isEmpty() || order.getFirst().at().isAfter(now)) {
      return Optional.empty();
    }
    Due first = order.getFirst();
    remove(first);
    return Optional.of(first.key());
  }

  /** When the next webhook is due. */
  Optional<Instant> nextDue() {
    return order.isEmpty() ? Optional.empty() : Optional.of(order.getFirst().at());
  }

  /** Adds a delivery. No host uses more than a quarter of the capacity. */
  void enqueue(PendingDelivery delivery) {
    if (inFlight.containsKey(delivery.key()) || waiting.containsKey(delivery.key())) {
      return;
    }
    remove(later.get(delivery.key()));
    ArrayDeque<PendingDelivery> queue =
        queues.computeIfAbsent(delivery.host(), _ -> new ArrayDeque<>());
    if (queue.size() >= Math.max(1, capacity / 4)) {
      evicted(Instant.EPOCH);
      return;
    }
    waiting.put(delivery.key(), delivery);
    queue.add(delivery);
    markReady(delivery.host());
    evictIfFull();
  }

  private void markReady(String host) {
    if (queues.containsKey(host) && busy.getOrDefault(host, 0) < maxPerHost) {
      ready.add(host);
    }
  }

  /** Starts the next delivery; hosts take turns. */
  Optional<PendingDelivery> startNext() {
    if (ready.isEmpty() || inFlight.size() >= maxConcurrent) {
      return Optional.empty();
    }
    String host = ready.removeFirst();
    PendingDelivery delivery = unqueue(host, true);
    inFlight.put(delivery.key(), false);
    busy.merge(host, 1, Integer::sum);
    markReady(host);
    return Optional.of(delivery);
  }

  /** Ends a delivery; returns whether its job changed meanwhile. */
  boolean finish(PendingDelivery delivery) {
    busy.computeIfPresent(delivery.host(), (_, count) -> count == 1 ? null : count - 1);
    markReady(delivery.host());
    return Boolean.TRUE.equals(inFlight.remove(delivery.key()));
  }

  private PendingDelivery unqueue(String host, boolean first) {
    ArrayDeque<PendingDelivery> queue = queues.get(host);
    if (queue == null) {
      throw new IllegalStateException("nothing waits for " + host);
    }
    PendingDelivery delivery = first ? queue.removeFirst() : queue.removeLast();
    if (queue.isEmpty()) {
      queues.remove(host);
      ready.remove(host);
    }
    waiting.remove(delivery.key());
    return delivery;
  }

  private void evictIfFull() {
    if (size() <= capacity) {
      return;
    }
    if (!order.isEmpty()) {
      Due last = order.getLast();
      remove(last);
      evicted(last.at());
      return;
    }
    queues.entrySet().stream()
        .max(Comparator.comparingInt(entry -> entry.getValue().size()))
        .map(Map.Entry::getKey)
        .ifPresent(
            host -> {
              unqueue(host, false);
              evicted(Instant.EPOCH);
            });
  }

  private void evicted(Instant at) {
    if (firstEvicted == null || at.isBefore(firstEvicted)) {
      firstEvicted = at;
    }
  }

  /** When the first evicted webhook is due; empty if none was evicted. */
  Optional<Instant> firstEvictedDue() {
    return Optional.ofNullable(firstEvicted);
  }

  /** Called when a new scan of the notes starts. */
  void clearEvicted() {
    firstEvicted = null;
  }
}
