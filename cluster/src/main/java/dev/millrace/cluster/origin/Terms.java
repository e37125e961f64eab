package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.Opening;
import dev.millrace.engine.cache.KvType;
import dev.millrace.engine.pipe.Pipe;

/** What an origin asks of every session of its model: see {@link Opening}. */
record Terms(
    String sha256,
    String model,
    int numerics,
    KvType kvType,
    int context,
    int pages,
    int maxRows,
    int maxRuns,
    int inFlight) {
  Opening opening(Pipe plan) {
    return new Opening(
        sha256, model, numerics, plan, kvType, context, pages, maxRows, maxRuns, inFlight);
  }

  /** For one sequence of so many positions, a step at a time. */
  Terms replay(int pages, int maxRows) {
    return new Terms(sha256, model, numerics, kvType, context, pages, maxRows, 1, 1);
  }
}
