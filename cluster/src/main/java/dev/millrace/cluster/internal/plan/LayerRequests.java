package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.place.Placement.LayerAssignment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The layers that nodes were asked to load, and the outcome. One thread at a time. */
final class LayerRequests {
  /** How long a request counts as accepted before the node's state shows it. */
  private static final long PENDING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * A node is asked only after it has been here this long: before, it may not know which node has
   * the file.
   */
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Pause after a node failed to load layers or refused. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int MAX_DOUBLINGS = 6;

  private record PendingRequest(LayerRange range, long at) {}

  private record Refusal(String why, long at) {}

  /** When a node failed last, and how often. */
  private record Failed(long at, int times) {
    boolean isResting(long now) {
      return now - at < RETRY_NANOS << Math.min(times, MAX_DOUBLINGS);
    }
  }

  private final Map<String, PendingRequest> requests = new HashMap<>();
  private final Map<String, Failed> failures = new HashMap<>();
  private final Map<String, Refusal> refusals = new HashMap<>();
  private final Map<String, Long> arrivals = new HashMap<>(); // of each node's present incarnation

  /** A node joined or restarted. */
  void arrived(String node, long now) {
    arrivals.put(node, now);
    refusals.remove(node);
  }

  void left(String node) {
    requests.remove(node);
    failures.remove(node);
    refusals.remove(node);
    arrivals.remove(node);
  }

  /** A node refused a request. */
  void refused(String node, String why, long now) {
    requests.remove(node);
    refusals.put(node, new Refusal(why, now));
  }

  /** A node could not load the requested layers. */
  void failed(String node) {
    requests.remove(node);
  }

  /** Why a node refused the last request; null: it did not. */
  @Nullable String refusal(String node) {
    Refusal last = refusals.get(node);
    return last == null ? null : last.why();
  }

  /** Whether a node must not be asked now; the pause doubles with each failure. */
  boolean isResting(String node, boolean failed, long now) {
    Refusal refusal = refusals.get(node);
    if (refusal != null && now - refusal.at() < RETRY_NANOS) {
      return true;
    }
    return failed && failures.computeIfAbsent(node, name -> new Failed(now, 0)).isResting(now);
  }

  /** Layers that a node was asked to load a moment ago, and that its state does not show yet. */
  @Nullable LayerRange pending(
      String node, List<LayerRange> loaded, List<LayerRange> coming, long now) {
    PendingRequest last = requests.get(node);
    if (last == null) {
      return null;
    }
    if (loaded.contains(last.range()) || coming.contains(last.range())) {
      refusals.remove(node);
      return null;
    }
    return now - last.at() >= PENDING_NANOS ? null : last.range();
  }

  /** Records a request; returns whether to send it: not if it was just sent, or too early. */
  boolean record(LayerAssignment request, long now) {
    Long arrived = arrivals.get(request.node());
    if (arrived == null || now - arrived < SETTLED_NANOS) {
      return false;
    }
    PendingRequest before = requests.get(request.node());
    boolean again =
        before != null
            && before.range().equals(request.range())
            && now - before.at() < PENDING_NANOS;
    if (!again) {
      requests.put(request.node(), new PendingRequest(request.range(), now));
      failures.computeIfPresent(
          request.node(), (node, failed) -> new Failed(now, failed.times() + 1));
    }
    return !again;
  }
}
