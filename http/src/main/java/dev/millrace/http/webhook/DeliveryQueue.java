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
 * Which lines are to be looked at again and when, which wait for their receiver, and which are on
 * their way: as many as fit. Where more come, those that have longest to wait are forgotten here,
 * and {@link #firstEvictedDue} says when the notes must be read again. One thread's at a time.
 */
final class DeliveryQueue {

  /** A line with something to tell. */
  record PendingDelivery(WebhookKey key, String host, WebhookEvent event) {}

  private record Due(WebhookKey line, Instant at) {}

  private static final Comparator<Due> EARLIEST =
      Comparator.comparing(Due::at)
          .thenComparing(due -> due.line().job())
          .thenComparingInt(due -> due.line().index());

  private final int capacity;
  private final int atOnce;
  private final int perHost;
  private final Map<WebhookKey, Due> later = new HashMap<>();
  private final TreeSet<Due> order = new TreeSet<>(EARLIEST);
  private final Map<WebhookKey, PendingDelivery> parked = new HashMap<>();
  private final Map<String, ArrayDeque<PendingDelivery>> queues = new HashMap<>();
  private final LinkedHashSet<String> ready = new LinkedHashSet<>(); // hosts whose turn it is
  private final Map<String, Integer> busy = new HashMap<>();
  private final Map<WebhookKey, Boolean> flying = new HashMap<>(); // whether to look at it again
  private @Nullable Instant forgotten;

  DeliveryQueue(int capacity, int atOnce, int perHost) {
    this.capacity = capacity;
    this.atOnce = atOnce;
    this.perHost = perHost;
  }

  /** All that it knows. */
  int size() {
    return later.size() + parked.size() + flying.size();
  }

  /**
   * Whether so many wait for their receivers that no more should be looked for: before that, no
   * host alone can have used up its share.
   */
  boolean isCrowded() {
    return parked.size() >= capacity / 8;
  }

  /** Whether the line is on its way; it will be looked at again when it is back. */
  boolean isInFlight(WebhookKey line) {
    return flying.replace(line, true) != null;
  }

  /** Looks at the line again at that time. */
  void schedule(WebhookKey line, Instant at) {
    if (flying.containsKey(line) || parked.containsKey(line)) {
      return;
    }
    remove(later.get(line));
    Due due = new Due(line, at);
    later.put(line, due);
    order.add(due);
    shrink();
  }

  private void remove(@Nullable Due due) {
    if (due != null) {
      later.remove(due.line());
      order.remove(due);
    }
  }

  /** Takes out a line whose time has come. */
  Optional<WebhookKey> pollDue(Instant now) {
    if (order.isEmpty() || order.getFirst().at().isAfter(now)) {
      return Optional.empty();
    }
    Due first = order.getFirst();
    remove(first);
    return Optional.of(first.line());
  }

  /** When the next line is due. */
  Optional<Instant> nextDue() {
    return order.isEmpty() ? Optional.empty() : Optional.of(order.getFirst().at());
  }

  /** The line has something to tell. No host takes up more than a quarter of the room. */
  void enqueue(PendingDelivery parcel) {
    if (flying.containsKey(parcel.key()) || parked.containsKey(parcel.key())) {
      return;
    }
    remove(later.get(parcel.key()));
    ArrayDeque<PendingDelivery> queue =
        queues.computeIfAbsent(parcel.host(), _ -> new ArrayDeque<>());
    if (queue.size() >= Math.max(1, capacity / 4)) {
      forget(Instant.EPOCH);
      return;
    }
    parked.put(parcel.key(), parcel);
    queue.add(parcel);
    arm(parcel.host());
    shrink();
  }

  private void arm(String host) {
    if (queues.containsKey(host) && busy.getOrDefault(host, 0) < perHost) {
      ready.add(host);
    }
  }

  /** The next to send off; hosts take turns. */
  Optional<PendingDelivery> startNext() {
    if (ready.isEmpty() || flying.size() >= atOnce) {
      return Optional.empty();
    }
    String host = ready.removeFirst();
    PendingDelivery parcel = unqueue(host, true);
    flying.put(parcel.key(), false);
    busy.merge(host, 1, Integer::sum);
    arm(host);
    return Optional.of(parcel);
  }

  /** It is back; says whether something happened to its job meanwhile. */
  boolean finish(PendingDelivery parcel) {
    busy.computeIfPresent(parcel.host(), (_, count) -> count == 1 ? null : count - 1);
    arm(parcel.host());
    return Boolean.TRUE.equals(flying.remove(parcel.key()));
  }

  private PendingDelivery unqueue(String host, boolean first) {
    ArrayDeque<PendingDelivery> queue = queues.get(host);
    if (queue == null) {
      throw new IllegalStateException("nothing waits for " + host);
    }
    PendingDelivery parcel = first ? queue.removeFirst() : queue.removeLast();
    if (queue.isEmpty()) {
      queues.remove(host);
      ready.remove(host);
    }
    parked.remove(parcel.key());
    return parcel;
  }

  private void shrink() {
    if (size() <= capacity) {
      return;
    }
    if (!order.isEmpty()) {
      Due last = order.getLast();
      remove(last);
      forget(last.at());
      return;
    }
    queues.entrySet().stream()
        .max(Comparator.comparingInt(entry -> entry.getValue().size()))
        .map(Map.Entry::getKey)
        .ifPresent(
            host -> {
              unqueue(host, false);
              forget(Instant.EPOCH);
            });
  }

  private void forget(Instant at) {
    if (forgotten == null || at.isBefore(forgotten)) {
      forgotten = at;
    }
  }

  /** When the first line is due that it forgot; empty if it knows all. */
  Optional<Instant> firstEvictedDue() {
    return Optional.ofNullable(forgotten);
  }

  /** The notes are being read again. */
  void clearEvicted() {
    forgotten = null;
  }
}
