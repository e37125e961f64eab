package dev.millrace.server.http.meter;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stage types as labels: users name them, so only the first so many have their own. Thread-safe. */
final class TypeNames {
  static final String OTHER = "other";

  private final int most;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  TypeNames(int most) {
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
