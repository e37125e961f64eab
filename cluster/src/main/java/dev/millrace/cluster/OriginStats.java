package dev.millrace.cluster;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an origin has seen since it started.
 *
 * @param pipes as they are now
 * @param nodes that are in pipes now, each once; those that are being opened count
 * @param members other members of the network, now
 * @param opened pipes that were opened
 * @param broken pipes that were left because of a node
 * @param lost nodes whose link was lost, each time counted
 * @param recoveries times that a broken pipe ran again
 * @param lastRecoveryNanos from a pipe's break to its next run; 0 before the first
 * @param expelled nodes that were found lying, by name
 * @param audits sequences whose audit had a verdict
 * @param auditsIncomplete audits without one, because records or replays were missing: those
 *     sequences are computed again
 * @param auditsSkipped sequences that were to be audited and were not, for lack of memory
 * @param lies audits that found one
 * @param bytesSent frames to nodes
 * @param bytesReceived frames from nodes
 * @param tokens chosen
 */
public record OriginStats(
    List<PipeState> pipes,
    int nodes,
    int members,
    long opened,
    long broken,
    long lost,
    long recoveries,
    long lastRecoveryNanos,
    List<String> expelled,
    long audits,
    long auditsIncomplete,
    long auditsSkipped,
    long lies,
    long bytesSent,
    long bytesReceived,
    long tokens) {
  public OriginStats {
    pipes = List.copyOf(pipes);
    expelled = List.copyOf(expelled);
  }

  /** Pipes that run now. */
  public int running() {
    return (int) pipes.stream().filter(pipe -> pipe.waitingReason().isEmpty()).count();
  }

  /** By the names that they have as metrics, without a prefix; what only grows is a total. */
  public Map<String, Double> figures() {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("running", (double) running());
    figures.put("nodes", (double) nodes);
    figures.put("members", (double) members);
    figures.put("opened_total", (double) opened);
    figures.put("broken_total", (double) broken);
    figures.put("lost_nodes_total", (double) lost);
    figures.put("recoveries_total", (double) recoveries);
    figures.put("last_recovery_seconds", lastRecoveryNanos / 1e9);
    figures.put("expelled_nodes", (double) expelled.size());
    figures.put("audits_total", (double) audits);
    figures.put("audits_incomplete_total", (double) auditsIncomplete);
    figures.put("audits_skipped_total", (double) auditsSkipped);
    figures.put("lies_total", (double) lies);
    figures.put("sent_bytes_total", (double) bytesSent);
    figures.put("received_bytes_total", (double) bytesReceived);
    figures.put("tokens_total", (double) tokens);
    return figures;
  }
}
