package dev.millrace.engine.internal.tensor;

import static java.nio.ByteOrder.nativeOrder;

import dev.millrace.engine.internal.nativecode.NativeKernels;
import dev.millrace.engine.internal.tensor.ComputePool.ParallelLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
      ParallelLoop loop =
          (part, worker) -> sums[part] += HardwareBenchmarkKernel.read(memory, part * each, each);
      return each * (double) parts / bestSeconds(pool, parts, loop);
    }
  }

  /** Fused multiply-adds of 32-bit floats a second, the best of some rounds. */
  public static double multiplyAddsPerSecond(ComputePool pool) {
    int parts = pool.threads();
    int loops = 2_000_000;
    float[] sums = new float[parts];
    ParallelLoop loop =
        (part, worker) -> sums[part] += HardwareBenchmarkKernel.multiply(loops, part);
    return (double) parts * loops * 12 * VectorWidth.COUNT / bestSeconds(pool, parts, loop);
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
    ParallelLoop loop = (part, worker) -> products[part] = NativeKernels.peak(2_000_000);
    double seconds = bestSeconds(pool, parts, loop);
    return (double) parts * products[0] / seconds;
  }

  private static double bestSeconds(ComputePool pool, int parts, ParallelLoop loop) {
    long best = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      pool.run(parts, loop);
      best = Math.min(best, System.nanoTime() - start);
    }
    return best / 1e9;
  }

  private static final class Template {
    private static final int $c = 0;

    @KernelTemplate(columns = 4)
    static long read(MemorySegment memory, long from, long length) {
      var species = LongVector.SPECIES_PREFERRED;
      int step = species.vectorByteSize();
      LongVector sum = LongVector.zero(species);
      LongVector a$c = sum;
      for (long at = from; at < from + length; at += 4 * step) {
        a$c = a$c.or(LongVector.fromMemorySegment(species, memory, at + $c * step, nativeOrder()));
      }
      sum = sum.or(a$c);
      return sum.reduceLanes(VectorOperators.OR);
    }

    /** Twelve chains: enough to hide the latency of an addition that waits for the one before. */
    @KernelTemplate(columns = 12)
    static float multiply(int loops, float seed) {
      FloatVector x = FloatVector.broadcast(VectorWidth.FLOATS, 0.5f);
      FloatVector y = FloatVector.broadcast(VectorWidth.FLOATS, seed);
      FloatVector a$c = y;
      for (int n = 0; n < loops; n++) {
        a$c = a$c.fma(x, y);
      }
      float sum = 0;
      sum += a$c.lane(0);
      return sum;
    }
  }
}
