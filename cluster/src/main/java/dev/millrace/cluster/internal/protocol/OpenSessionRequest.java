package dev.millrace.cluster.internal.protocol;

import dev.millrace.cluster.FieldChecks;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.pipe.Pipe;

/**
 * What an origin asks of each node of a plan before it uses it; a node refuses what it cannot keep.
 *
 * @param pipe the plan; the node's part are the stretches with its name
 * @param context positions of a sequence, which decides the rotation of some models
 * @param pages of keys and values to keep for it
 * @param maxRows of a step
 * @param maxRuns of a step
 * @param inFlight steps that may be under way at once
 */
public record OpenSessionRequest(
    String sha256,
    String model,
    int numerics,
    Pipe pipe,
    KvType kvType,
    int context,
    int pages,
    int maxRows,
    int maxRuns,
    int inFlight) {
  public OpenSessionRequest {
    FieldChecks.positive("an opening", context, pages, maxRows, maxRuns, inFlight);
  }
}
