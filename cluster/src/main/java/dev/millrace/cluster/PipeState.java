package dev.millrace.cluster;

import java.util.List;

/**
 * A pipe as its origin sees it.
 *
 * @param number of the pipe at its origin, from 0
 * @param stretches which node computes which layers, the origin included; with gaps while layers
 *     are missing
 * @param running sequences in the pipe
 * @param tokensPerSecond over the last second
 * @param waitingReason why it does not run; empty while it runs
 */
public record PipeState(
    String sha256,
    String model,
    int layers,
    int number,
    long epoch,
    List<PipeStretch> stretches,
    int running,
    double tokensPerSecond,
    String waitingReason) {
  public PipeState {
    stretches = List.copyOf(stretches);
    FieldChecks.notNegative("a pipe", layers, number, running);
    FieldChecks.rate("a pipe", tokensPerSecond);
    stretches.forEach(each -> FieldChecks.layers("a pipe", each.from(), each.to(), layers));
  }
}
