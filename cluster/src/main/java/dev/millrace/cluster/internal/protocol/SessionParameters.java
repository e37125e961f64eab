package dev.millrace.cluster.internal.protocol;

import dev.millrace.cluster.FieldChecks;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.numerics.NumericsVersion;

/**
 * The parameters of every session of an origin's model.
 *
 * @param model its name, for people
 * @param numerics version of the arithmetic that all its sequences run under
 */
public record SessionParameters(
    String sha256, String model, NumericsVersion numerics, CacheShape cache, BatchShape batch) {

  /**
   * Keys and values that a node keeps for the session.
   *
   * @param context positions of a sequence, which decides the rotation of some models
   */
  public record CacheShape(KvType kvType, int context, int pages) {
    public CacheShape {
      FieldChecks.positive("a session", context, pages);
    }
  }

  /**
   * The largest step, and how many may be in flight.
   *
   * @param maxRuns sequences in a step
   */
  public record BatchShape(int maxRows, int maxRuns, int inFlight) {
    public BatchShape {
      FieldChecks.positive("a session", maxRows, maxRuns, inFlight);
    }
  }

  public OpenSessionRequest openRequest(Pipe plan) {
    return new OpenSessionRequest(this, plan);
  }

  /** For the replay of one sequence, a step at a time. */
  public SessionParameters forReplay(int pages, int maxRows) {
    CacheShape smaller = new CacheShape(cache.kvType(), cache.context(), pages);
    return new SessionParameters(sha256, model, numerics, smaller, new BatchShape(maxRows, 1, 1));
  }
}
