package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.place.Placement.LayerAssignment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What nodes were asked to hold, and what came of it. One thread at a time. */
final class LayerRequests {
  /** How long a wish counts as granted before the node itself says so. */
  private static final long WISH_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * A node is asked to hold layers when it has been here for so long: before that it may not have
   * heard who has their file.
   */
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** After a node failed to load what it was asked to, or refused, it is left alone for so long. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int MOST_DOUBLINGS = 6;

  private record PendingRequest(LayerRange range, long at) {}

  private record Refusal(String why, long at) {}

  /** When a node was found to have failed, and how often. */
  private record Failed(long at, int times) {
    boolean rests(long now) {
      return now - at < RETRY_NANOS << Math.min(times, MOST_DOUBLINGS);
    }
  }

  private final Map<String, PendingRequest> wishes = new HashMap<>();
  private final Map<String, Failed> failures = new HashMap<>();
  private final Map<String, Refusal> refusals = new HashMap<>();
  private final Map<String, Long> arrivals = new HashMap<>(); // of each node's present life

  /** A node is here, or here in another life. */
  void arrived(String node, long now) {
    arrivals.put(node, now);
    refusals.remove(node);
  }

  void left(String node) {
    wishes.remove(node);
    failures.remove(node);
    refusals.remove(node);
    arrivals.remove(node);
  }

  /** A node will not hold what it was asked to. */
  void refused(String node, String why, long now) {
    wishes.remove(node);
    refusals.put(node, new Refusal(why, now));
  }

  /** What a node was asked to hold it could not load. */
  void failed(String node) {
    wishes.remove(node);
  }

  /** Why a node refused last what it was asked to hold; null: it did not. */
  @Nullable String refusal(String node) {
    Refusal last = refusals.get(node);
    return last == null ? null : last.why();
  }

  /** Whether a node is not to be asked now: after a failure each time twice as long as before. */
  boolean isResting(String node, boolean failed, long now) {
    Refusal refusal = refusals.get(node);
    if (refusal != null && now - refusal.at() < RETRY_NANOS) {
      return true;
    }
    return failed && failures.computeIfAbsent(node, name -> new Failed(now, 0)).rests(now);
  }

  /** What a node was asked to hold a moment ago, and has not spoken of yet. */
  @Nullable LayerRange pending(
      String node, List<LayerRange> loaded, List<LayerRange> coming, long now) {
    PendingRequest wished = wishes.get(node);
    if (wished == null) {
      return null;
    }
    if (loaded.contains(wished.range()) || coming.contains(wished.range())) {
      refusals.remove(node);
      return null;
    }
    return now - wished.at() >= WISH_NANOS ? null : wished.range();
  }

  /** Notes a wish; says whether it is to be sent: not where it was just now, or is too early. */
  boolean record(LayerAssignment wish, long now) {
    Long arrived = arrivals.get(wish.node());
    if (arrived == null || now - arrived < SETTLED_NANOS) {
      return false;
    }
    PendingRequest before = wishes.get(wish.node());
    boolean again =
        before != null && before.range().equals(wish.range()) && now - before.at() < WISH_NANOS;
    if (!again) {
      wishes.put(wish.node(), new PendingRequest(wish.range(), now));
      failures.computeIfPresent(wish.node(), (node, failed) -> new Failed(now, failed.times() + 1));
    }
    return !again;
  }
}
