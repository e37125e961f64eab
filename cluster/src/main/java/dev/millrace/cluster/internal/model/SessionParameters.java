package dev.millrace.cluster.internal.model;

import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.pipe.Pipe;

/** What an origin asks of every session of its model: see {@link OpenSessionRequest}. */
public record SessionParameters(
    String sha256,
    String model,
    int numerics,
    KvType kvType,
    int context,
    int pages,
    int maxRows,
    int maxRuns,
    int inFlight) {
  public OpenSessionRequest openRequest(Pipe plan) {
    return new OpenSessionRequest(
        sha256, model, numerics, plan, kvType, context, pages, maxRows, maxRuns, inFlight);
  }

  /** For one sequence of so many positions, a step at a time. */
  public SessionParameters forReplay(int pages, int maxRows) {
    return new SessionParameters(sha256, model, numerics, kvType, context, pages, maxRows, 1, 1);
  }
}
