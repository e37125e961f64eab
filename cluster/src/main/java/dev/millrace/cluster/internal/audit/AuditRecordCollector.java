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
 * Collects the audit records of a sequence from the nodes of a session: one answer per node, and no
 * more bytes than its records can take. Any thread.
 */
final class AuditRecordCollector {
  private final PipeSession session;
  private final long sequence;
  private final int positions;
  private final Map<String, List<RowHashRecorder.RowHashes>> records =
      new HashMap<>(); // guarded by this
  private @Nullable String lost; // guarded by this

  AuditRecordCollector(PipeSession session, long sequence, int positions) {
    this.session = session;
    this.sequence = sequence;
    this.positions = positions;
  }

  /** The session whose nodes are asked. */
  PipeSession session() {
    return session;
  }

  /** A node sent records; unrequested ones are not even decoded. */
  synchronized void received(String from, NodeMessage message) {
    if (message.session() == session.id()
        && session.includes(from)
        && !records.containsKey(from)
        && AuditRecords.isOfSequence(sequence, message.body())) {
      long most = AuditRecords.bytes((long) session.stretches(from) * positions);
      records.put(from, message.body().remaining() > most ? List.of() : rows(message));
      notifyAll();
    }
  }

  /** Records that cannot be read count as empty. */
  private static List<RowHashRecorder.RowHashes> rows(NodeMessage message) {
    try {
      return AuditRecords.decode(message.body()).rows();
    } catch (ClusterException e) {
      return List.of();
    }
  }

  /** The link with a node is lost; its records will not come. */
  synchronized void lost(String node) {
    if (session.includes(node) && !records.containsKey(node)) {
      lost = node;
      notifyAll();
    }
  }

  /** Waits a little; returns whether there is nothing more to wait for. */
  synchronized boolean await(long millis) throws InterruptedException {
    if (lost == null && records.size() < session.otherNodes().size()) {
      wait(millis);
    }
    return lost != null || records.size() == session.otherNodes().size();
  }

  /** The records of all nodes, by stretch and position. */
  synchronized Map<String, List<RowHashRecorder.RowHashes>> records() throws ReplayFailedException {
    if (lost != null) {
      throw new ReplayFailedException("node " + lost + " was lost before it sent its records");
    }
    return Map.copyOf(records);
  }

  /** The first node that has not answered; null: all have. */
  synchronized @Nullable String firstMissing() {
    return session.otherNodes().stream()
        .filter(node -> !records.containsKey(node))
        .findFirst()
        .orElse(null);
  }
}
