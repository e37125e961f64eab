package dev.millrace.cluster.node;

import dev.millrace.engine.cache.KvType;
import dev.millrace.engine.model.LoadSettings;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.tensor.Kernels;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many bytes of weights a step of one row passes in a second: first by trial, then by the steps
 * that come. One thread at a time.
 */
final class Speed {
  private static final long TRIAL = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int LEAST_STEPS = 3;

  /** What one step weighs against all before it. */
  private static final double SHARE = 0.05;

  private double bytesPerSecond;

  /** 0 before anything was measured. */
  double bytesPerSecond() {
    return bytesPerSecond;
  }

  /** In two digits: what others are told, so that they are not told every tremble. */
  double rounded() {
    if (bytesPerSecond <= 0) {
      return 0;
    }
    double unit = Math.pow(10, Math.floor(Math.log10(bytesPerSecond)) - 1);
    return Math.rint(bytesPerSecond / unit) * unit;
  }

  /** A step of one row went through so many bytes of weights. */
  void passed(long bytes, long nanos) {
    double now = bytes * 1e9 / Math.max(1, nanos);
    bytesPerSecond = bytesPerSecond == 0 ? now : bytesPerSecond + SHARE * (now - bytesPerSecond);
  }

  /** Steps of one row through all the weights, for a fifth of a second; the best of them counts. */
  void measure(Weights weights, LongSupplier clock) {
    LoadSettings one = new LoadSettings(1, Kernels.best(), KvType.F16, 2, 1, 1, 1);
    Batch batch = new Batch(weights.width(), 1, 1);
    batch.add(0, 1, new int[] {0});
    try (Weights.Cut trial = weights.open(weights.from(), weights.to(), one)) {
      long best = Long.MAX_VALUE;
      long began = clock.getAsLong();
      for (int step = 0; step < LEAST_STEPS || clock.getAsLong() - began < TRIAL; step++) {
        for (int i = 0; i < weights.width(); i++) {
          batch.hidden[i] = i % 2 == 0 ? 0.5f : -0.5f;
        }
        long start = clock.getAsLong();
        trial.forward(batch);
        best = Math.min(best, clock.getAsLong() - start);
      }
      bytesPerSecond = weights.bytes() * 1e9 / Math.max(1, best);
    }
  }
}
