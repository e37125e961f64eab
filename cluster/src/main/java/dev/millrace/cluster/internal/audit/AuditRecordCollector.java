package dev.millrace.cluster.internal.audit;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.cluster.internal.protocol.AuditRecords;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes what the nodes of a session say that they noted of a passage: from each node that was asked
 * one answer, and no more bytes than what it can have noted takes. For any thread.
 */
final class AuditRecordCollector {
  private final PipeSession session;
  private final long passage;
  private final int positions;
  private final Map<String, List<RowHashRecorder.RowHashes>> records =
      new HashMap<>(); // guarded by this
  private @Nullable String lost; // guarded by this

  AuditRecordCollector(PipeSession session, long passage, int positions) {
    this.session = session;
    this.passage = passage;
    this.positions = positions;
  }

  /** The nodes that are asked, or were. */
  PipeSession session() {
    return session;
  }

  /** A node sent records; what was not asked for is not even read. */
  synchronized void received(String from, NodeMessage message) {
    if (message.session() == session.id()
        && session.includes(from)
        && !records.containsKey(from)
        && AuditRecords.isOfSequence(passage, message.body())) {
      long most = AuditRecords.bytes((long) session.stretches(from) * positions);
      records.put(from, message.body().remaining() > most ? List.of() : rows(message));
      notifyAll();
    }
  }

  /** What cannot be read is not whole. */
  private static List<RowHashRecorder.RowHashes> rows(NodeMessage message) {
    try {
      return AuditRecords.decode(message.body()).rows();
    } catch (ClusterException e) {
      return List.of();
    }
  }

  /** There is no link with a node any more: what it has not said it will not say. */
  synchronized void lost(String node) {
    if (session.includes(node) && !records.containsKey(node)) {
      lost = node;
      notifyAll();
    }
  }

  /** Waits a little; says whether there is nothing more to wait for. */
  synchronized boolean await(long millis) throws InterruptedException {
    if (lost == null && records.size() < session.otherNodes().size()) {
      wait(millis);
    }
    return lost != null || records.size() == session.otherNodes().size();
  }

  /** What all have noted, of each node by stretch and position. */
  synchronized Map<String, List<RowHashRecorder.RowHashes>> records() throws ReplayFailedException {
    if (lost != null) {
      throw new ReplayFailedException("node " + lost + " was lost with its records");
    }
    return Map.copyOf(records);
  }

  /** The first that has not answered; null: all have. */
  synchronized @Nullable String firstMissing() {
    return session.otherNodes().stream()
        .filter(node -> !records.containsKey(node))
        .findFirst()
        .orElse(null);
  }
}
