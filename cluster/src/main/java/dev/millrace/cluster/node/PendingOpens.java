package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where openings wait a moment for this node to hear of members of their plans, of which their
 * origins have heard already: else the first step would find nobody there. Belongs to the thread
 * that computes.
 */
final class PendingOpens {
  /** So long the members' views may differ. */
  static final long VIEWS = TimeUnit.SECONDS.toNanos(3);

  private static final int MOST = 64;

  /** Who asked for what, when, in nanoseconds. */
  record PendingOpen(String from, long id, OpenSessionRequest opening, long since) {}

  private final List<PendingOpen> guests = new ArrayList<>();
  private @Nullable Set<String> members; // null: nobody has said

  void setMembers(Set<String> names) {
    members = names;
  }

  /** Whether it is to wait, and does. */
  boolean holdBack(PendingOpen guest, long now) {
    boolean waits =
        !knowsAll(guest.opening()) && now - guest.since() < VIEWS && guests.size() < MOST;
    if (waits) {
      guests.add(guest);
    }
    return waits;
  }

  private boolean knowsAll(OpenSessionRequest opening) {
    Set<String> known = members;
    return known == null
        || opening.pipe().nodeLayers().stream().allMatch(part -> known.contains(part.node()));
  }

  /** All who wait; they are looked at again. */
  List<PendingOpen> takeAll() {
    List<PendingOpen> all = List.copyOf(guests);
    guests.clear();
    return all;
  }

  void removeIf(Predicate<PendingOpen> which) {
    guests.removeIf(which);
  }
}
