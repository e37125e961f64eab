package dev.millrace.cluster.internal.audit;

import dev.millrace.cluster.ModelRequirements;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.concurrent.TimeUnit;

/**
 * How long a node may take to replay layers of a sequence, by their bytes, the positions, and the
 * node's measured speed. Positions are computed in batches, which is faster than one by one; but
 * the node may serve other sessions too. Pure functions.
 */
final class ReplayTimeout {
  private static final long MIN_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Bytes per second; a node that claims to be slower gets no more time. */
  private static final double MIN_SPEED = 32 << 20;

  private ReplayTimeout() {}

  static long nanos(ModelRequirements need, NodeLayers stretch, int positions, double speed) {
    double bytes = 0;
    for (int layer = stretch.from(); layer < stretch.to(); layer++) {
      bytes += need.layerBytes().get(layer);
    }
    return MIN_NANOS + (long) (2e9 * positions * bytes / Math.max(speed, MIN_SPEED));
  }
}
