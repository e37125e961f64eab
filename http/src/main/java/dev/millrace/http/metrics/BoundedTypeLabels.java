package dev.millrace.http.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stage types as labels: users name them, so only the first so many have their own. Thread-safe. */
final class BoundedTypeLabels {
  static final String OTHER = "other";

  private final int most;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  BoundedTypeLabels(int most) {
    this.most = most;
  }

  String label(String type) {
    if (known.contains(type)) {
      return type;
    }
    synchronized (known) {
      if (known.size() >= most) {
        return known.contains(type) ? type : OTHER;
      }
      known.add(type);
      return type;
    }
  }
}
