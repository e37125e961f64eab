package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Cause;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the last requests that a job's log has, so that a repeated one is recognized. Users may
 * pull levers for as long as a job lives; a request is repeated soon or not at all. The last one
 * that changed the job's own state is always known: a store may have recorded it in a second place.
 */
final class RecentRequests {
  /** How many requests are known. */
  static final int MOST = 10_000;

  private final Set<String> ids = new LinkedHashSet<>();
  private @Nullable String lastOfJob;

  void add(Cause cause) {
    if (cause.op() != null && ids.add(cause.op()) && ids.size() > MOST) {
      Iterator<String> eldest = ids.iterator();
      eldest.next();
      eldest.remove();
    }
  }

  void addOfJob(Cause cause) {
    add(cause);
    lastOfJob = cause.op() == null ? lastOfJob : cause.op();
  }

  boolean contains(String id) {
    return ids.contains(id) || id.equals(lastOfJob);
  }

  int size() {
    return ids.size();
  }

  void addAll(RecentRequests other) {
    ids.addAll(other.ids);
    lastOfJob = other.lastOfJob;
  }
}
