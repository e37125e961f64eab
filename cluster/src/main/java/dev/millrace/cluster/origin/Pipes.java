package dev.millrace.cluster.origin;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All pipes of an origin, by number. One thread at a time. */
final class Pipes {
  private final List<PipeControl> all;

  Pipes(int count) {
    List<PipeControl> made = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      made.add(new PipeControl(number));
    }
    all = List.copyOf(made);
  }

  List<PipeControl> all() {
    return all;
  }

  /** The one that is open or opens by that session; null where none is, any more or yet. */
  @Nullable PipeControl bySession(long id) {
    for (PipeControl pipe : all) {
      if (pipe.session() != null && session(pipe).id() == id) {
        return pipe;
      }
    }
    return null;
  }

  /** In how many a node is. */
  int sessionsAt(String node) {
    int count = 0;
    for (PipeControl pipe : all) {
      count += pipe.session() != null && session(pipe).has(node) ? 1 : 0;
    }
    return count;
  }

  /** The session of one that has one. */
  static Session session(PipeControl pipe) {
    Session session = pipe.session();
    if (session == null) {
      throw new IllegalStateException("pipe " + pipe.number() + " has no session");
    }
    return session;
  }
}
