package dev.millrace.engine;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One way to compute requests, of all those that must give the same bits.
 *
 * @param kernels that compute
 * @param batch the number of requests, all at once if the pages allow
 * @param chunk the most prompt tokens in a turn, while others decode; and while none does, if that
 *     is not less than one for each request
 * @param prefix whether pages of equal prefixes are shared
 * @param seeded whether the first request, which is alone in a batch of one, has a temperature
 */
record DeterminismScenario(
    TinyModel model,
    Kernels kernels,
    KvType kv,
    int threads,
    Cut cut,
    int batch,
    int chunk,
    boolean prefix,
    Trouble trouble,
    boolean seeded) {

  /** What computes, and the property that chooses it at the start of a JVM. */
  enum Kernels {
    SCALAR(KernelType.SCALAR, ""),
    VECTOR_128(KernelType.VECTOR, "millrace.vector.bits=128"),
    VECTOR_256(KernelType.VECTOR, "millrace.vector.bits=256"),
    VECTOR_512(KernelType.VECTOR, "millrace.vector.bits=512"),
    NATIVE(KernelType.NATIVE, "millrace.vector.bits=512"),
    NATIVE_AVX2(KernelType.NATIVE, "millrace.native=avx2");

    final KernelType type;
    final String property;

    Kernels(KernelType type, String property) {
      this.type = type;
      this.property = property;
    }
  }

  /** How the layers are cut into segments, and whether these are at one node. */
  enum Cut {
    WHOLE(1, false),
    HALVES(2, false),
    THIRDS(3, false),
    TWO_NODES(2, true),
    THREE_NODES(3, true);

    final int segments;
    final boolean nodes;

    Cut(int segments, boolean nodes) {
      this.segments = segments;
      this.nodes = nodes;
    }
  }

  /** What interrupts the requests. */
  enum Trouble {
    NONE,
    /** There are so few pages that sequences are preempted. */
    PREEMPTED,
    /** Every other request is released after some tokens and resumed from them. */
    RELEASED
  }

  /** The values of all dimensions for these models. */
  record Space(List<TinyModel> models) {
    /** The indexes of the dimensions in a row. */
    static final int BATCH = 5;

    static final int CHUNK = 6;
    static final int TROUBLE = 8;
    static final int SEEDED = 9;

    private static final List<List<?>> OTHERS =
        List.of(
            List.of(Kernels.values()),
            List.of(KvType.F16, KvType.Q8),
            List.of(1, 2),
            List.of(Cut.values()),
            IntStream.rangeClosed(1, 16).boxed().toList(),
            List.of(1, 3, 7, 16, 32, 64, 512),
            List.of(false, true),
            List.of(Trouble.values()),
            List.of(false, true));

    /** The usual models, or every architecture in every type. */
    static Space of(boolean all) {
      return new Space(all ? TinyModel.all() : TinyModel.USUAL);
    }

    boolean isAll() {
      return models != TinyModel.USUAL;
    }

    private List<List<?>> dimensions() {
      List<List<?>> all = new ArrayList<>();
      all.add(models);
      all.addAll(OTHERS);
      return all;
    }

    int[] sizes() {
      return dimensions().stream().mapToInt(List::size).toArray();
    }

    DeterminismScenario at(int[] row) {
      List<List<?>> all = dimensions();
      Object[] v =
          IntStream.range(0, row.length).mapToObj(i -> (Object) all.get(i).get(row[i])).toArray();
      return new DeterminismScenario(
          (TinyModel) v[0],
          (Kernels) v[1],
          (KvType) v[2],
          (int) v[3],
          (Cut) v[4],
          (int) v[5],
          (int) v[6],
          (boolean) v[7],
          (Trouble) v[8],
          (boolean) v[9]);
    }

    /** Whether the scenario is possible: a sequence alone is never preempted. */
    static boolean allows(int[] row) {
      return row[BATCH] != 0 || row[TROUBLE] != Trouble.PREEMPTED.ordinal();
    }

    static String write(int[] row) {
      return Arrays.stream(row).mapToObj(Integer::toString).collect(Collectors.joining(" "));
    }

    static int[] read(String row) {
      return Arrays.stream(row.split(" ")).mapToInt(Integer::parseInt).toArray();
    }
  }

  /**
   * The baseline of all comparisons: each request alone, its whole prompt at once, with the scalar
   * kernels.
   */
  static DeterminismScenario plain(TinyModel model, KvType kv) {
    return new DeterminismScenario(
        model, Kernels.SCALAR, kv, 1, Cut.WHOLE, 1, 512, false, Trouble.NONE, false);
  }

  /** Few enough pages that sequences are preempted, or enough for all. */
  int pages() {
    return trouble == Trouble.PREEMPTED ? 4 + model.morePages() : 128;
  }
}
