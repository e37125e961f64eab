package dev.millrace.cluster;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The counters of an origin since it started, and its current pipes.
 *
 * @param pipes as they are now
 * @param nodes that are in pipes now, each once; nodes of pipes that are being opened count
 * @param members other members of the network, now
 * @param expelled names of nodes that returned wrong results
 */
public record OriginStats(
    List<PipeState> pipes,
    int nodes,
    int members,
    List<String> expelled,
    PipeCounts pipeCounts,
    AuditCounts auditCounts,
    Traffic traffic) {

  /**
   * What happened to pipes.
   *
   * @param opened pipes that began to run
   * @param broken pipes that ended because of a node
   * @param lostNodes nodes whose link was lost, counted each time
   * @param recoveries times that a broken pipe ran again
   * @param lastRecoveryNanos from a pipe's break to its next run; 0 before the first
   */
  public record PipeCounts(
      long opened, long broken, long lostNodes, long recoveries, long lastRecoveryNanos) {}

  /**
   * What audits found.
   *
   * @param done audits with a verdict
   * @param incomplete audits without one, because records or replays were missing: those sequences
   *     are computed again
   * @param skipped sequences that were chosen and not audited, for lack of memory
   * @param lies audits that found a wrong result
   */
  public record AuditCounts(long done, long incomplete, long skipped, long lies) {}

  /**
   * What crossed the network.
   *
   * @param bytesSent frames to nodes
   * @param bytesReceived frames from nodes
   * @param tokens generated
   */
  public record Traffic(long bytesSent, long bytesReceived, long tokens) {}

  public OriginStats {
    pipes = List.copyOf(pipes);
    expelled = List.copyOf(expelled);
  }

  /** Pipes that run now. */
  public int running() {
    return (int) pipes.stream().filter(pipe -> pipe.waitingReason().isEmpty()).count();
  }

  /** The values by their metric names, without a prefix; those that only grow end in total. */
  public Map<String, Double> figures() {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("running", (double) running());
    figures.put("nodes", (double) nodes);
    figures.put("members", (double) members);
    figures.put("opened_total", (double) pipeCounts.opened());
    figures.put("broken_total", (double) pipeCounts.broken());
    figures.put("lost_nodes_total", (double) pipeCounts.lostNodes());
    figures.put("recoveries_total", (double) pipeCounts.recoveries());
    figures.put("last_recovery_seconds", pipeCounts.lastRecoveryNanos() / 1e9);
    figures.put("expelled_nodes", (double) expelled.size());
    figures.put("audits_total", (double) auditCounts.done());
    figures.put("audits_incomplete_total", (double) auditCounts.incomplete());
    figures.put("audits_skipped_total", (double) auditCounts.skipped());
    figures.put("lies_total", (double) auditCounts.lies());
    figures.put("sent_bytes_total", (double) traffic.bytesSent());
    figures.put("received_bytes_total", (double) traffic.bytesReceived());
    figures.put("tokens_total", (double) traffic.tokens());
    return figures;
  }
}
