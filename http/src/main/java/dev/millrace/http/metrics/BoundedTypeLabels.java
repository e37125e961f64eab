package dev.millrace.http.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes metric labels for stage types. Users choose types, so only the first ones get a label of
 * their own.
 */
final class BoundedTypeLabels {
  static final String OTHER = "other";

  private final int max;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  BoundedTypeLabels(int max) {
    this.max = max;
  }

  String label(String type) {
    if (known.contains(type)) {
      return type;
    }
    synchronized (known) {
      if (known.size() >= max) {
        return known.contains(type) ? type : OTHER;
      }
      known.add(type);
      return type;
    }
  }
}
