package dev.millrace.engine.internal.tensor;

import dev.millrace.engine.internal.nativecode.NativeKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Measures the limits of this machine in the same process: generating a token reads every weight
 * once, and a prompt is bound by multiplications.
 */
public final class HardwareBenchmark {
  private static final long BYTES = 512L << 20;
  private static final int ROUNDS = 8;

  private HardwareBenchmark() {}

  /** Bytes per second that a pool reads from memory, the best of some rounds. */
  public static double bytesPerSecond(ComputePool pool) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(BYTES, 64);
      int parts = 64 * pool.threads();
      long each = BYTES / parts / 512 * 512;
      long[] sums = new long[parts];
      long best = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS; round++) {
        long start = System.nanoTime();
        pool.run(parts, (part, worker) -> sums[part] += read(memory, part * each, each));
        best = Math.min(best, System.nanoTime() - start);
      }
      return each * (double) parts / best * 1e9;
    }
  }

  private static long read(MemorySegment memory, long from, long length) {
    var species = LongVector.SPECIES_PREFERRED;
    int step = species.vectorByteSize();
    LongVector a = LongVector.zero(species);
    LongVector b = a;
    LongVector c = a;
    LongVector d = a;
    for (long at = from; at < from + length; at += 4 * step) {
      a = a.or(LongVector.fromMemorySegment(species, memory, at, ByteOrder.nativeOrder()));
      b = b.or(LongVector.fromMemorySegment(species, memory, at + step, ByteOrder.nativeOrder()));
      c =
          c.or(
              LongVector.fromMemorySegment(
                  species, memory, at + 2 * step, ByteOrder.nativeOrder()));
      d =
          d.or(
              LongVector.fromMemorySegment(
                  species, memory, at + 3 * step, ByteOrder.nativeOrder()));
    }
    return a.or(b).or(c).or(d).reduceLanes(VectorOperators.OR);
  }

  /** Fused multiply-adds of 32-bit floats a second, the best of some rounds. */
  public static double multiplyAddsPerSecond(ComputePool pool) {
    int parts = pool.threads();
    int loops = 2_000_000;
    float[] sums = new float[parts];
    long best = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      pool.run(parts, (part, worker) -> sums[part] += multiply(loops, part));
      best = Math.min(best, System.nanoTime() - start);
    }
    return (double) parts * loops * 12 * VectorWidth.COUNT / best * 1e9;
  }

  /**
   * Products of bytes that native kernels add up in a second, the best of some rounds; 0 without
   * such kernels.
   */
  public static double byteProductsPerSecond(ComputePool pool) {
    if (NativeKernels.instructionSet() == null) {
      return 0;
    }
    int parts = pool.threads();
    long[] products = new long[parts];
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      pool.run(parts, (part, worker) -> products[part] = NativeKernels.peak(2_000_000));
      best = Math.max(best, products[0] * (double) parts / (System.nanoTime() - start) * 1e9);
    }
    return best;
  }

  /** Twelve chains: enough to hide the latency of an addition that waits for the one before. */
  private static float multiply(int loops, float seed) {
    FloatVector x = FloatVector.broadcast(VectorWidth.FLOATS, 0.5f);
    FloatVector y = FloatVector.broadcast(VectorWidth.FLOATS, seed);
    FloatVector a = y;
    FloatVector b = y;
    FloatVector c = y;
    FloatVector d = y;
    FloatVector e = y;
    FloatVector f = y;
    FloatVector g = y;
    FloatVector h = y;
    FloatVector i = y;
    FloatVector j = y;
    FloatVector k = y;
    FloatVector l = y;
    for (int n = 0; n < loops; n++) {
      a = a.fma(x, y);
      b = b.fma(x, y);
      c = c.fma(x, y);
      d = d.fma(x, y);
      e = e.fma(x, y);
      f = f.fma(x, y);
      g = g.fma(x, y);
      h = h.fma(x, y);
      i = i.fma(x, y);
      j = j.fma(x, y);
      k = k.fma(x, y);
      l = l.fma(x, y);
    }
    return a.add(b).add(c).add(d).add(e).add(f).add(g).add(h).add(i).add(j).add(k).add(l).lane(0);
  }
}
