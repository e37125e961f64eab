package dev.millrace.cluster.internal.layers;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.pipe.Batch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Measures bytes of weights per second in a step of one row: first by trials, then by real steps.
 * One thread at a time.
 */
public final class LayerSpeed {
  private static final long TRIAL = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int LEAST_STEPS = 2;

  /** No further trial starts after this time. */
  private static final long TRIALS = TimeUnit.MILLISECONDS.toNanos(1800);

  /** Two trials within this share count as the same speed. */
  private static final double NEAR = 0.2;

  /** Weight of one step against all before it. */
  private static final double SHARE = 0.05;

  /** Its weight while the speed is not steady. */
  private static final double UNSTEADY_SHARE = 0.5;

  private double bytesPerSecond;
  private boolean steady;

  /** 0 before anything was measured. */
  double bytesPerSecond() {
    return bytesPerSecond;
  }

  /** Whether two measurements agreed. */
  boolean isSteady() {
    return steady;
  }

  /** Rounded to two digits, so that small changes are not broadcast. */
  double rounded() {
    if (bytesPerSecond <= 0) {
      return 0;
    }
    double unit = Math.pow(10, Math.floor(Math.log10(bytesPerSecond)) - 1);
    return Math.rint(bytesPerSecond / unit) * unit;
  }

  /** Adds a step of one row over so many bytes of weights. */
  public void addStep(long bytes, long nanos) {
    double now = bytes * 1e9 / Math.max(1, nanos);
    double share = steady ? SHARE : UNSTEADY_SHARE;
    steady |= isNear(now, bytesPerSecond);
    bytesPerSecond = bytesPerSecond == 0 ? now : bytesPerSecond + share * (now - bytesPerSecond);
  }

  /**
   * Runs steps of one row through all layers, in trials of a fifth of a second; the best step of
   * each trial counts. It ends when a trial is as fast as the one before, because the first ones
   * still run uncompiled code, or after two seconds.
   */
  void measure(LoadedLayers weights, LongSupplier clock) {
    LoadSettings one = new LoadSettings(1, KernelType.best(), KvType.F16, 2, 1, 1, 1);
    Batch batch = new Batch(weights.width(), 1, 1);
    batch.add(0, 1, new int[] {0});
    try (LoadedLayers.OpenLayers cut = weights.open(weights.from(), weights.to(), one)) {
      long began = clock.getAsLong();
      bytesPerSecond = trial(cut, batch, weights.bytes(), clock);
      do {
        double next = trial(cut, batch, weights.bytes(), clock);
        steady = isNear(next, bytesPerSecond);
        bytesPerSecond = next;
      } while (!steady && clock.getAsLong() - began < TRIALS);
    }
  }

  private static double trial(
      LoadedLayers.OpenLayers cut, Batch batch, long bytes, LongSupplier clock) {
    long best = Long.MAX_VALUE;
    long began = clock.getAsLong();
    for (int step = 0; step < LEAST_STEPS || clock.getAsLong() - began < TRIAL; step++) {
      for (int i = 0; i < batch.hidden.length; i++) {
        batch.hidden[i] = i % 2 == 0 ? 0.5f : -0.5f;
      }
      long start = clock.getAsLong();
      cut.forward(batch);
      best = Math.min(best, clock.getAsLong() - start);
    }
    return bytes * 1e9 / Math.max(1, best);
  }

  private static boolean isNear(double one, double other) {
    return Math.abs(one - other) <= NEAR * Math.max(one, other);
  }
}
