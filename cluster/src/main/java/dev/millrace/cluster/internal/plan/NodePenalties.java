package dev.millrace.cluster.internal.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that the origin leaves out of its plans, why, and for how long. A node that failed is
 * tried again after a pause, which doubles each time; a node that lied is never used again. Times
 * are nanoseconds of one clock. One thread at a time.
 */
public final class NodePenalties {
  /** Why a node is left out. */
  public enum Fault {
    /**
     * Its link was lost. It is tried again a while after it sent a new state; without one, only
     * after the membership would know that it is gone.
     */
    LINK(1, 60),
    /** It was slow, refused, failed a step, or was unreachable for another node. */
    WORK(5, 300);

    private final long first;
    private final long longest;

    Fault(long first, long longest) {
      this.first = TimeUnit.SECONDS.toNanos(first);
      this.longest = TimeUnit.SECONDS.toNanos(longest);
    }
  }

  /** Pause for a node that has sent nothing since its link was lost. */
  private static final long UNSEEN_NANOS = TimeUnit.SECONDS.toNanos(15);

  private record Penalty(Fault fault, long penalty, long at, boolean seen, String why) {
    long until() {
      return at + (seen ? penalty : Math.max(penalty, UNSEEN_NANOS));
    }
  }

  private final Map<String, Penalty> penalties = new HashMap<>();
  private final Map<String, String> expelled = new HashMap<>();

  /** Leaves a node out for a while: twice as long as for its last fault of the same kind. */
  public void penalize(String node, Fault fault, String why, long now) {
    Penalty before = penalties.get(node);
    boolean again = before != null && before.fault == fault;
    if (before != null && !again && before.fault == Fault.WORK && now - before.until() < 0) {
      return; // a lost link does not make its pause shorter
    }
    long penalty = again ? Math.min(2 * before.penalty, fault.longest) : fault.first;
    if (again && now - before.until() < 0) {
      penalty = before.penalty; // the same fault, reported by another node
    }
    penalties.put(node, new Penalty(fault, penalty, now, fault != Fault.LINK, why));
  }

  /** Leaves a node out forever. */
  void expel(String node, String why) {
    expelled.putIfAbsent(node, why);
    penalties.remove(node);
  }

  boolean isExpelled(String node) {
    return expelled.containsKey(node);
  }

  /** Why a node must not be used now; null: it may be. */
  public @Nullable String exclusionReason(String node, long now) {
    String lie = expelled.get(node);
    if (lie != null) {
      return lie;
    }
    Penalty current = penalties.get(node);
    return current == null || now - current.until() >= 0 ? null : current.why;
  }

  /** When a node may be used again; {@code now} if it may. */
  long excludedUntil(String node, long now) {
    Penalty current = penalties.get(node);
    return current == null || now - current.until() >= 0 ? now : current.until();
  }

  /** Whether a node's link was lost and it has sent no state since. */
  boolean isSilentSinceLoss(String node) {
    Penalty current = penalties.get(node);
    return current != null && !current.seen;
  }

  /** The node sent a new state: if its link was lost, it may be back. */
  void seen(String node) {
    penalties.computeIfPresent(
        node, (name, was) -> new Penalty(was.fault, was.penalty, was.at, true, was.why));
  }

  /** The node restarted or came back: forgets its faults. */
  public void reset(String node) {
    penalties.remove(node);
  }

  /** The node has worked this long: forgets its faults once that is longer than its pause. */
  void workedFor(String node, long nanos) {
    Penalty current = penalties.get(node);
    if (current != null && nanos > 2 * current.penalty) {
      penalties.remove(node);
    }
  }

  /** Whether any node may be used now that was left out at {@code before}. */
  boolean anyReturned(long before, long now) {
    for (Penalty current : penalties.values()) {
      if (now - current.until() >= 0 && before - current.until() < 0) {
        return true;
      }
    }
    return false;
  }

  /** Names of expelled nodes, sorted. */
  List<String> expelled() {
    List<String> names = new ArrayList<>(expelled.keySet());
    names.sort(null);
    return names;
  }
}
