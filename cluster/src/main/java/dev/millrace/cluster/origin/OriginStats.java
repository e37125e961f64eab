package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.PipeState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an origin has seen since it started.
 *
 * @param pipes as they are now
 * @param nodes other members of the network, now
 * @param opened pipes that were opened
 * @param broken pipes that were left because of a node
 * @param lost nodes whose link was lost, each time counted
 * @param recoveries times that a broken pipe ran again
 * @param lastRecoveryNanos from a pipe's break to its next run; 0 before the first
 * @param expelled nodes that were found lying, by name
 * @param audits sequences whose audit had a verdict
 * @param auditsIncomplete audits without one: records or replays were missing
 * @param lies audits that found one
 * @param bytesSent frames to nodes
 * @param bytesReceived frames from nodes
 * @param tokens chosen
 */
public record OriginStats(
    List<PipeState> pipes,
    int nodes,
    long opened,
    long broken,
    long lost,
    long recoveries,
    long lastRecoveryNanos,
    List<String> expelled,
    long audits,
    long auditsIncomplete,
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
    return (int) pipes.stream().filter(pipe -> pipe.waiting().isEmpty()).count();
  }

  /** The figures by the names that they have as metrics, without a prefix. */
  public Map<String, Double> gauges() {
    Map<String, Double> gauges = new LinkedHashMap<>();
    gauges.put("running", (double) running());
    gauges.put("nodes", (double) nodes);
    gauges.put("opened", (double) opened);
    gauges.put("broken", (double) broken);
    gauges.put("lost_nodes", (double) lost);
    gauges.put("recoveries", (double) recoveries);
    gauges.put("last_recovery_seconds", lastRecoveryNanos / 1e9);
    gauges.put("expelled_nodes", (double) expelled.size());
    gauges.put("audits", (double) audits);
    gauges.put("audits_incomplete", (double) auditsIncomplete);
    gauges.put("lies", (double) lies);
    gauges.put("sent_bytes", (double) bytesSent);
    gauges.put("received_bytes", (double) bytesReceived);
    gauges.put("tokens", (double) tokens);
    return gauges;
  }
}
