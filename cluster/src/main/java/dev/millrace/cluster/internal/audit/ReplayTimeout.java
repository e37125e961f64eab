package dev.millrace.cluster.internal.audit;

import dev.millrace.cluster.ModelRequirements;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.concurrent.TimeUnit;

/**
 * How long a node may take to replay layers of a sequence: by their bytes, the positions, and the
 * speed that it was measured to have. Many positions go together, and so faster than that one by
 * one; but other sessions may have their turns there too. Pure.
 */
final class ReplayTimeout {
  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Bytes by the second: one that says it is slower is not waited for the longer. */
  private static final double SLOWEST = 32 << 20;

  private ReplayTimeout() {}

  static long nanos(ModelRequirements need, NodeLayers stretch, int positions, double speed) {
    double bytes = 0;
    for (int layer = stretch.from(); layer < stretch.to(); layer++) {
      bytes += need.layerBytes().get(layer);
    }
    return LEAST_NANOS + (long) (2e9 * positions * bytes / Math.max(speed, SLOWEST));
  }
}
