package dev.millrace.engine.internal.cache;

import com.sun.management.ThreadMXBean;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The main class of a JVM of another width, or with the launcher's flags; it prints a line. */
final class KernelDigestRun {
  private static final long SEED = 5;

  private KernelDigestRun() {}

  public static void main(String[] args) {
    System.out.println(
        args[0].equals("allocations") ? allocations() : digests(Integer.parseInt(args[0])));
  }

  /**
   * The digest, or several if they differ from round to round: kernels are interpreted first, then
   * compiled.
   */
  private static String digests(int rounds) {
    Set<String> digests = new TreeSet<>();
    for (int i = 0; i < rounds; i++) {
      digests.add(Long.toHexString(digest(KernelType.VECTOR)));
    }
    return String.join(" ", digests);
  }

  /** A digest of every result bit of arithmetic and attention. */
  static long digest(KernelType kernels) {
    long[] digest = {1};
    Random random = new Random(SEED);
    for (int n : new int[] {5, 16, 37, 64, 208}) {
      float[] y = row(random, n);
      for (Runnable operation :
          operations(Arithmetic.of(kernels), row(random, n), y, n, digest).values()) {
        operation.run();
      }
    }
    for (KvType type : KvType.values()) {
      for (int[] shape :
          new int[][] {{4, 1, 32, 64}, {3, 1, 20, 24}, {2, 2, 16, 48}, {9, 1, 32, 32}}) {
        RandomAttentionInputs s =
            new RandomAttentionInputs(type, shape[0], shape[1], shape[2], shape[3], SEED, 35, 132);
        for (Attention.Rule rule :
            List.of(Attention.Rule.causal(0.2f), new Attention.Rule(0.3f, 4, 20, true))) {
          for (float[] out : s.attend(kernels, 1, rule, s.tables(0), s.chunked(3, 90))) {
            fold(digest, out);
          }
        }
      }
    }
    return digest[0];
  }

  private static void fold(long[] digest, float[] x) {
    for (float f : x) {
      digest[0] = (digest[0] ^ Float.floatToIntBits(f)) * 0x9E3779B97F4A7C15L;
      digest[0] ^= digest[0] >>> 29;
    }
  }

  private static float[] row(Random random, int n) {
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = (float) random.nextGaussian() * 4;
    }
    return x;
  }

  /** Every operation, each on a fresh copy of x; a digest takes in the result. */
  private static Map<String, Runnable> operations(
      Arithmetic a, float[] x, float[] y, int n, long[] digest) {
    Map<String, Runnable> all = new TreeMap<>();
    float[] out = new float[n];
    all.put("rmsNorm", () -> a.rmsNorm(out, 0, y, 1e-5f, n, out, 0));
    all.put("layerNorm", () -> a.layerNorm(out, 0, y, y, 1e-5f, n, out, 0));
    all.put("layerNorm without bias", () -> a.layerNorm(out, 0, y, null, 1e-5f, n, out, 0));
    all.put("add", () -> a.add(out, 0, y, 0, n));
    all.put("addScaled", () -> a.addScaled(out, 0, y, 0, 0.3f, n));
    all.put("multiply", () -> a.multiply(out, 0, y, 0, n));
    all.put("scale", () -> a.scale(out, 0, 0.7f, n));
    all.put("siluMul", () -> a.siluMul(out, 0, y, 0, n));
    all.put("geluTanhMul", () -> a.geluTanhMul(out, 0, y, 0, n));
    all.put("geluTanh", () -> a.geluTanh(out, 0, n));
    all.put("geluErf", () -> a.geluErf(out, 0, n));
    all.put("softcap", () -> a.softcap(out, 0, n, 3));
    all.put("softmax", () -> a.softmax(out, 0, n));
    all.put("max", () -> out[0] = a.max(out, 0, n));
    all.replaceAll(
        (name, operation) ->
            () -> {
              System.arraycopy(x, 0, out, 0, n);
              operation.run();
              if (digest.length > 0) {
                fold(digest, out);
              }
            });
    return all;
  }

  /**
   * The operations that still allocate after a bounded warm-up, with the bytes per call; empty if
   * none.
   */
  private static String allocations() {
    StringBuilder report = new StringBuilder();
    Random random = new Random(SEED);
    int n = 512;
    Map<String, Runnable> all =
        operations(
            Arithmetic.of(KernelType.VECTOR), row(random, n), row(random, n), n, new long[0]);
    all.forEach((name, operation) -> measure(name, operation, 5_000, report));
    for (KvType type : KvType.values()) {
      for (int[] form : new int[][] {{4, 1}, {1, 1}, {4, 30}}) {
        attention(type, form[0], form[1], report);
      }
    }
    return report.isEmpty() ? "nothing" : report.toString();
  }

  private static void attention(KvType type, int group, int rows, StringBuilder report) {
    int length = 250;
    try (KvCache store =
            new KvCache(new KvCache.Shape(1, KvPageSize.countFor(length), 2, 32, 32, type));
        ComputePool pool = new ComputePool(1)) {
      Attention attention = new Attention(KernelType.VECTOR, store, 2 * group, rows, 1);
      int[] table = new int[KvPageSize.countFor(length)];
      for (int i = 0; i < table.length; i++) {
        table[i] = i;
      }
      Batch batch = new Batch(1, rows, 1);
      batch.add(length - rows, rows, table);
      float[] q = row(new Random(SEED), rows * 2 * group * 32);
      float[] out = new float[q.length];
      Attention.Rule rule = new Attention.Rule(0.2f, 20, 0, true);
      Runnable call =
          () -> {
            for (int row = 0; row < rows; row++) {
              store.put(0, batch, row, q, 0, q, 0);
            }
            attention.run(pool, 0, rule, batch, q, out);
          };
      measure("attention " + type + " group " + group + " rows " + rows, call, 1500, report);
    }
  }

  private static void measure(String name, Runnable operation, int warmUp, StringBuilder report) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().threadId();
    long least = Long.MAX_VALUE;
    // Compilation is concurrent: it is enough that a version without allocation comes soon, and
    // stays.
    for (int round = 0; round < 6 && least > 1000; round++) {
      for (int i = 0; i < warmUp; i++) {
        operation.run();
      }
      long before = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < 500; i++) {
        operation.run();
      }
      least = threads.getThreadAllocatedBytes(thread) - before;
    }
    if (least > 1000) {
      report.append(name).append(": ").append(least / 500).append(" bytes a call; ");
    }
  }
}
