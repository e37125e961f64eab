package dev.millrace.cluster.origin;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.node.Testimony;
import dev.millrace.cluster.wire.Message;
import dev.millrace.engine.pipe.Witness;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes what the nodes of a session say that they noted of a passage: from each node that was asked
 * one answer, and no more bytes than what it can have noted takes. For any thread.
 */
final class Hearing {
  private final Session session;
  private final long passage;
  private final int positions;
  private final Map<String, List<Witness.Row>> records = new HashMap<>(); // guarded by this
  private @Nullable String lost; // guarded by this

  Hearing(Session session, long passage, int positions) {
    this.session = session;
    this.passage = passage;
    this.positions = positions;
  }

  /** The nodes that are asked, or were. */
  Session session() {
    return session;
  }

  /** A node sent records; what was not asked for is not even read. */
  synchronized void received(String from, Message message) {
    if (message.session() == session.id()
        && session.has(from)
        && !records.containsKey(from)
        && Testimony.isOf(passage, message.body())) {
      long most = Testimony.bytes((long) session.stretches(from) * positions);
      records.put(from, message.body().remaining() > most ? List.of() : rows(message));
      notifyAll();
    }
  }

  /** What cannot be read is not whole. */
  private static List<Witness.Row> rows(Message message) {
    try {
      return Testimony.decode(message.body()).rows();
    } catch (ClusterException e) {
      return List.of();
    }
  }

  /** There is no link with a node any more: what it has not said it will not say. */
  synchronized void lost(String node) {
    if (session.has(node) && !records.containsKey(node)) {
      lost = node;
      notifyAll();
    }
  }

  /** Waits a little; says whether there is nothing more to wait for. */
  synchronized boolean await(long millis) throws InterruptedException {
    if (lost == null && records.size() < session.others().size()) {
      wait(millis);
    }
    return lost != null || records.size() == session.others().size();
  }

  /** What all have noted, of each node by stretch and position. */
  synchronized Map<String, List<Witness.Row>> records() throws ReplayFailed {
    if (lost != null) {
      throw new ReplayFailed("node " + lost + " was lost with its records");
    }
    return Map.copyOf(records);
  }

  /** The first that has not answered; null: all have. */
  synchronized @Nullable String silent() {
    return session.others().stream()
        .filter(node -> !records.containsKey(node))
        .findFirst()
        .orElse(null);
  }
}
