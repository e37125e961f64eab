package dev.millrace.http.search;

import dev.millrace.core.job.JobId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the newest jobs, in the order of their ids. A change of a row is seen at once; the
 * array is made again only when jobs came or went. Thread-safe.
 */
final class JobIndex {
  /** The most jobs that are searched. */
  static final int MAX_JOBS = 200_000;

  private static final Comparator<Slot> OLDEST_FIRST =
      Comparator.comparingLong((Slot slot) -> slot.micros).thenComparing(slot -> slot.id);

  /** A place for a row: the row changes, its place in the order does not. */
  static final class Slot {
    private final JobId id;
    private final long micros;
    private volatile IndexedJob job;

    private Slot(IndexedJob job) {
      this.id = job.id();
      this.micros = id.micros();
      this.job = job;
    }

    IndexedJob job() {
      return job;
    }
  }

  private final int most;
  private final Map<JobId, Slot> slots = new HashMap<>();
  private final TreeSet<Slot> sorted = new TreeSet<>(OLDEST_FIRST);
  private Slot @Nullable [] order; // null: to be made again
  private long leftOut;

  JobIndex(int most) {
    this.most = most;
  }

  synchronized void put(IndexedJob job) {
    Slot known = slots.get(job.id());
    if (known != null) {
      known.job = job;
      return;
    }
    Slot added = new Slot(job);
    if (slots.size() >= most && OLDEST_FIRST.compare(added, sorted.first()) < 0) {
      return; // one of those that are left out has changed
    }
    slots.put(job.id(), added);
    sorted.add(added);
    order = null;
    while (slots.size() > most) {
      leftOut++;
      slots.remove(Objects.requireNonNull(sorted.pollFirst()).id);
    }
  }

  synchronized void remove(JobId id) {
    Slot gone = slots.remove(id);
    if (gone != null) {
      sorted.remove(gone);
      order = null;
    }
  }

  /** Keeps only these jobs. */
  synchronized void retain(Set<JobId> ids) {
    if (slots.keySet().retainAll(ids)) {
      sorted.removeIf(slot -> !ids.contains(slot.id));
      order = null;
    }
  }

  synchronized void clear() {
    slots.clear();
    sorted.clear();
    order = null;
    leftOut = 0;
  }

  synchronized @Nullable IndexedJob find(JobId id) {
    Slot slot = slots.get(id);
    return slot == null ? null : slot.job;
  }

  synchronized int size() {
    return slots.size();
  }

  /** Starts to count those that it leaves out because there are too many. */
  synchronized void countLeftOut(long already) {
    leftOut = already;
  }

  /** How many jobs are left out because there are too many. */
  synchronized long leftOut() {
    return leftOut;
  }

  /** All rows, the oldest first; the array is not changed. */
  synchronized Slot[] oldestFirst() {
    if (order == null) {
      order = sorted.toArray(new Slot[0]);
    }
    return order;
  }
}
