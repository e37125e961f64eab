package dev.millrace.cluster.internal.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whom the origin leaves out of its plans, why, and for how long. A node that failed is tried again
 * after a while, which doubles each time; one that lied never again. Times are nanoseconds of one
 * clock. One thread at a time.
 */
public final class NodePenalties {
  /** What a node is left for. */
  public enum Fault {
    /**
     * There was no link any more. A while after the node has told something new it is tried again;
     * where it has not, only when the network would know by then that it is gone.
     */
    LINK(1, 60),
    /** It was slow, could not be reached by another, or refused. */
    WORK(5, 300);

    private final long first;
    private final long longest;

    Fault(long first, long longest) {
      this.first = TimeUnit.SECONDS.toNanos(first);
      this.longest = TimeUnit.SECONDS.toNanos(longest);
    }
  }

  /** For so long a node is not tried of which nothing was heard since its link was lost. */
  private static final long UNSEEN_NANOS = TimeUnit.SECONDS.toNanos(15);

  private record Penalty(Fault fault, long penalty, long at, boolean seen, String why) {
    long until() {
      return at + (seen ? penalty : Math.max(penalty, UNSEEN_NANOS));
    }
  }

  private final Map<String, Penalty> left = new HashMap<>();
  private final Map<String, String> expelled = new HashMap<>();

  /** Leaves a node out for a while: twice as long as for its last fault of that kind. */
  public void penalize(String node, Fault fault, String why, long now) {
    Penalty before = left.get(node);
    boolean again = before != null && before.fault == fault;
    if (before != null && !again && before.fault == Fault.WORK && now - before.until() < 0) {
      return; // that it is gone as well makes its time no shorter
    }
    long penalty = again ? Math.min(2 * before.penalty, fault.longest) : fault.first;
    if (again && now - before.until() < 0) {
      penalty = before.penalty; // the same trouble, told by another
    }
    left.put(node, new Penalty(fault, penalty, now, fault != Fault.LINK, why));
  }

  /** Leaves a node out for good. */
  void expel(String node, String why) {
    expelled.putIfAbsent(node, why);
    left.remove(node);
  }

  boolean isExpelled(String node) {
    return expelled.containsKey(node);
  }

  /** Why a node is not to be used now; null: it may be. */
  public @Nullable String exclusionReason(String node, long now) {
    String lie = expelled.get(node);
    if (lie != null) {
      return lie;
    }
    Penalty record = left.get(node);
    return record == null || now - record.until() >= 0 ? null : record.why;
  }

  /** When a node may be used again, as far as its faults go; now, where it may. */
  long excludedUntil(String node, long now) {
    Penalty record = left.get(node);
    return record == null || now - record.until() >= 0 ? now : record.until();
  }

  /** Whether a node's link was lost and it has told nothing since. */
  boolean isSilentSinceLoss(String node) {
    Penalty record = left.get(node);
    return record != null && !record.seen;
  }

  /** It told something new: if its link was lost it may be there again. */
  void seen(String node) {
    left.computeIfPresent(
        node, (name, was) -> new Penalty(was.fault, was.penalty, was.at, true, was.why));
  }

  /** It came back as another life, or after it was gone: what it did before counts no more. */
  public void reset(String node) {
    left.remove(node);
  }

  /** It has worked for that long: once that is longer than it was left out, nothing counts. */
  void workedFor(String node, long nanos) {
    Penalty record = left.get(node);
    if (record != null && nanos > 2 * record.penalty) {
      left.remove(node);
    }
  }

  /** Whether anybody may be used now who might not at {@code before}. */
  boolean anyReturned(long before, long now) {
    for (Penalty record : left.values()) {
      if (now - record.until() >= 0 && before - record.until() < 0) {
        return true;
      }
    }
    return false;
  }

  /** By name. */
  List<String> expelled() {
    List<String> names = new ArrayList<>(expelled.keySet());
    names.sort(null);
    return names;
  }
}
