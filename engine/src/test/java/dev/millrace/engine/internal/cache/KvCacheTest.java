package dev.millrace.engine.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.engine.api.KvType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.KvPageSize;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class KvCacheTest {
  private static final long SEED = 99;

  private static void put(KvCache store, int layer, int page, int at, float[] k, float[] v) {
    Batch batch = new Batch(1, 1, 1);
    batch.add(at, 1, new int[] {page});
    store.put(layer, batch, 0, k, 0, v, 0);
  }

  @Test
  void halvesRoundToNearestEvenAndSaturate() {
    float[] x = {
      1f,
      1 + 0x1p-11f,
      1 + 3 * 0x1p-11f,
      1e-8f,
      -65504f,
      65519f,
      65520f,
      Float.NEGATIVE_INFINITY,
      Float.NaN,
      0x1p-24f
    };
    float[] kept = {1f, 1f, 1 + 0x1p-9f, 0f, -65504f, 65504f, 65504f, -65504f, 0f, 0x1p-24f};
    try (KvCache store = new KvCache(new KvCache.Shape(1, 2, 1, x.length, x.length, KvType.F16))) {
      put(store, 0, 1, 5, x, x);
      for (int d = 0; d < x.length; d++) {
        long key = store.keys(0, 1, 0) + 2L * (d * KvPageSize.POSITIONS + 5);
        long value = store.values(0, 1, 0) + 2L * (5 * 16 + d);
        assertThat(Float.float16ToFloat(store.memory().get(ValueLayout.JAVA_SHORT, key)))
            .isEqualTo(kept[d]);
        assertThat(Float.float16ToFloat(store.memory().get(ValueLayout.JAVA_SHORT, value)))
            .isEqualTo(kept[d]);
      }
    }
  }

  @Test
  void bytesAreWithinHalfAStepOfWhatWasPut() {
    int dims = 40;
    Random random = new Random(SEED);
    float[] x = new float[dims];
    for (int round = 0; round < 50; round++) {
      float greatest = 0;
      for (int i = 0; i < dims; i++) {
        x[i] = (float) (random.nextGaussian() * Math.pow(10, round % 7 - 3));
        greatest = Math.max(greatest, Math.abs(x[i]));
      }
      try (KvCache store = new KvCache(new KvCache.Shape(1, 1, 1, dims, dims, KvType.Q8))) {
        put(store, 0, 0, 31, x, x);
        float[] keys = new float[dims * KvPageSize.POSITIONS];
        long at = store.keys(0, 0, 0);
        new ScalarAttentionKernels()
            .columns(store.memory(), at, at + store.shape().keyScales(), dims, keys);
        float[] values = new float[48 * KvPageSize.POSITIONS];
        long valuesAt = store.values(0, 0, 0);
        new ScalarAttentionKernels()
            .rows(
                store.memory(),
                valuesAt,
                valuesAt + store.shape().valueScales(),
                KvPageSize.POSITIONS,
                48,
                values);
        for (int d = 0; d < dims; d++) {
          float key = keys[d * KvPageSize.POSITIONS + 31];
          assertThat(Math.abs(key - x[d]))
              .as("seed %d", SEED)
              .isLessThanOrEqualTo(greatest / 254 * 1.0001f);
          assertThat(values[31 * 48 + d]).isEqualTo(key);
        }
      }
    }
  }

  @Test
  void zerosAndNonsenseStayFiniteAsBytes() {
    float[] x = {0, 0, Float.NaN, Float.POSITIVE_INFINITY};
    try (KvCache store = new KvCache(new KvCache.Shape(1, 1, 1, 4, 4, KvType.Q8))) {
      put(store, 0, 0, 0, new float[4], x);
      float[] values = new float[16 * KvPageSize.POSITIONS];
      long at = store.values(0, 0, 0);
      new ScalarAttentionKernels()
          .rows(
              store.memory(),
              at,
              at + store.shape().valueScales(),
              KvPageSize.POSITIONS,
              16,
              values);
      assertThat(values[2]).isZero();
      assertThat(values[3]).isFinite().isPositive();
    }
  }

  @Test
  void aCopyHasAllLayersAndHeads() {
    try (KvCache store = new KvCache(new KvCache.Shape(3, 4, 2, 8, 8, KvType.F16))) {
      float[] x = new float[16];
      for (int i = 0; i < 16; i++) {
        x[i] = i + 1;
      }
      for (int layer = 0; layer < 3; layer++) {
        put(store, layer, 1, 7, x, x);
      }
      store.copy(1, 3);
      for (int layer = 0; layer < 3; layer++) {
        for (int head = 0; head < 2; head++) {
          assertThat(bytes(store, store.keys(layer, 3, head), store.shape().keyBytes()))
              .isEqualTo(bytes(store, store.keys(layer, 1, head), store.shape().keyBytes()));
          assertThat(bytes(store, store.values(layer, 3, head), store.shape().valueBytes()))
              .isEqualTo(bytes(store, store.values(layer, 1, head), store.shape().valueBytes()))
              .isNotEqualTo(bytes(store, store.values(layer, 2, head), store.shape().valueBytes()));
        }
      }
    }
  }

  private static byte[] bytes(KvCache store, long at, long n) {
    return store.memory().asSlice(at, n).toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void unwrittenPagesAreNotResident() throws IOException {
    Path statm = Path.of("/proc/self/statm");
    assumeThat(statm).exists();
    long before = resident(statm);
    try (KvCache store = new KvCache(new KvCache.Shape(16, 1 << 14, 8, 64, 64, KvType.F16))) {
      put(store, 15, 9999, 0, new float[512], new float[512]);
      assertThat(store.shape().bytesPerPage()).isEqualTo(16 * 8 * 32 * 64 * 2 * 2);
      assertThat(resident(statm) - before).isLessThan(200L << 20);
    }
  }

  private static long resident(Path statm) throws IOException {
    return Long.parseLong(Files.readString(statm).split(" ")[1]) * 4096;
  }

  @Test
  void pagesThatDoNotExistAreRejected() {
    try (KvCache store = new KvCache(new KvCache.Shape(1, 2, 1, 8, 8, KvType.F16))) {
      assertThatThrownBy(() -> put(store, 0, 2, 0, new float[8], new float[8]))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> put(store, 1, 0, 0, new float[8], new float[8]))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void emptyShapesAreRejected() {
    assertThatThrownBy(() -> new KvCache.Shape(1, 0, 1, 8, 8, KvType.F16))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("0 pages");
  }
}
