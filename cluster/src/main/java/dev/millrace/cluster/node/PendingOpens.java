package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Requests to open a session that wait until this node knows all members of their plan. The origin
 * may know a member before this node does, and the first step would fail. Owned by the compute
 * thread.
 */
final class PendingOpens {
  /** How long the views of members may differ. */
  static final long VIEW_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final int MAX_WAITING = 64;

  /** A request, its sender, and when it came (nanoseconds). */
  record PendingOpen(String from, long id, OpenSessionRequest opening, long since) {}

  private final List<PendingOpen> waiting = new ArrayList<>();
  private @Nullable Set<String> members; // null: not known yet

  void setMembers(Set<String> names) {
    members = names;
  }

  /** Keeps a request that has to wait; returns whether it waits. */
  boolean holdBack(PendingOpen pending, long now) {
    boolean waits =
        !knowsAll(pending.opening())
            && now - pending.since() < VIEW_NANOS
            && waiting.size() < MAX_WAITING;
    if (waits) {
      waiting.add(pending);
    }
    return waits;
  }

  private boolean knowsAll(OpenSessionRequest opening) {
    Set<String> known = members;
    return known == null
        || opening.pipe().nodeLayers().stream().allMatch(part -> known.contains(part.node()));
  }

  /** Removes and returns all waiting requests. */
  List<PendingOpen> takeAll() {
    List<PendingOpen> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  void removeIf(Predicate<PendingOpen> which) {
    waiting.removeIf(which);
  }
}
