package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.jobs.ClaimPages.Position;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where in the claim order there may be something to claim: what is before it was claimed a moment
 * ago. While an old snapshot of the database is in use, what was claimed stays in the index, and
 * whoever starts at its beginning passes all of it each time. Thread-safe.
 */
final class ClaimFloors {
  /** Then the index is read from its beginning again. */
  private static final long MOST_NANOS = 1_000_000_000;

  /** A search for tasks of some types. */
  static final class Search {
    private final Set<String> types;
    private final Position start;
    private long raised = CommitFlusher.NO_WORK; // the lowest rank that was enqueued meanwhile

    private Search(Set<String> types, Position start) {
      this.types = types;
      this.start = start;
    }

    Position start() {
      return start;
    }
  }

  private record Floor(Position position, long atNanos) {}

  private final Map<Set<String>, Floor> floors = new HashMap<>();
  private final Set<Search> searches = new HashSet<>();

  /** Whether the next search for these types would not begin at the start. */
  synchronized boolean isKnown(Set<String> types) {
    return floors.containsKey(types);
  }

  /** Begins a search where the last one for these types ended. */
  synchronized Search begin(Set<String> types) {
    Floor floor = floors.get(types);
    boolean known = floor != null && System.nanoTime() - floor.atNanos() < MOST_NANOS;
    if (floor != null && !known) {
      floors.remove(types);
    }
    Search search = new Search(Set.copyOf(types), known ? floor.position() : Position.START);
    searches.add(search);
    return search;
  }

  /**
   * Ends a search.
   *
   * @param before nothing is left to claim up to this place; null: that is not known
   */
  synchronized void end(Search search, @Nullable Position before) {
    if (searches.remove(search)
        && before != null
        && before.rank() < search.raised
        && !before.equals(Position.START)) {
      Floor last = floors.get(search.types);
      long since = last == null ? System.nanoTime() : last.atNanos(); // when it began at the start
      floors.put(search.types, new Floor(before, since));
    }
  }

  /** Something was enqueued there. */
  synchronized void raise(long rank) {
    floors.values().removeIf(floor -> rank <= floor.position().rank());
    searches.forEach(search -> search.raised = Math.min(search.raised, rank));
  }

  /** Forgets all places. */
  synchronized void clear() {
    raise(Long.MIN_VALUE);
  }
}
