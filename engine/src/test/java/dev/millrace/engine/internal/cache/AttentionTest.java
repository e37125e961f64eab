package dev.millrace.engine.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.error.EngineException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class AttentionTest {
  private static final long SEED = 41;

  private static Attention.Rule plain(int keyDim) {
    return Attention.Rule.causal((float) (1 / Math.sqrt(keyDim)));
  }

  private static double error(double[][] exact, float[][] got) {
    double worst = 0;
    for (int s = 0; s < exact.length; s++) {
      for (int i = 0; i < exact[s].length; i++) {
        double error = Math.abs(exact[s][i] - got[s][i]);
        worst = error <= worst ? worst : error; // NaN wins
      }
    }
    return worst;
  }

  @Test
  void agreesWithDoublesInEveryForm() {
    RandomAttentionInputs s = new RandomAttentionInputs(KvType.F32, 6, 2, 24, 20, SEED, 70, 1, 150);
    for (Attention.Rule rule :
        List.of(
            plain(24),
            new Attention.Rule(0.3f, 5, 0, true),
            new Attention.Rule(0.2f, 0, 17, true),
            new Attention.Rule(0.2f, 30, 40, true),
            new Attention.Rule(0.2f, 0, 0, false))) {
      float[][] got = s.attend(KernelType.VECTOR, 2, rule, s.tables(3), s.whole());
      assertThat(error(s.exact(rule), got)).as("%s, seed %d", rule, SEED).isLessThan(4e-6);
    }
  }

  @ParameterizedTest
  @EnumSource(KvType.class)
  void errorIsThatOfTheStoredType(KvType type) {
    RandomAttentionInputs s = new RandomAttentionInputs(type, 8, 2, 64, 64, SEED, 300);
    double worst =
        error(
            s.exact(plain(64)), s.attend(KernelType.VECTOR, 2, plain(64), s.tables(1), s.whole()));
    double bound =
        switch (type) {
          case F32 -> 4e-6;
          case F16 -> 4e-3;
          case Q8 -> 8e-2;
        };
    assertThat(worst).as("seed %d", SEED).isLessThan(bound);
  }

  @ParameterizedTest
  @EnumSource(KvType.class)
  void vectorsGiveTheBitsOfTheOracle(KvType type) {
    int[][] shapes = {
      {1, 1, 64, 64},
      {4, 1, 32, 32},
      {3, 1, 48, 48},
      {5, 1, 20, 7},
      {7, 1, 64, 80},
      {9, 3, 64, 64},
      {16, 2, 16, 32},
      {12, 1, 9, 16}
    };
    for (int[] shape : shapes) {
      RandomAttentionInputs s =
          new RandomAttentionInputs(type, shape[0], shape[1], shape[2], shape[3], SEED, 1, 33, 131);
      for (Attention.Rule rule :
          List.of(
              plain(shape[2]),
              new Attention.Rule(0.2f, 9, 50, true),
              new Attention.Rule(0.1f, 0, 0, false))) {
        float[][] scalar = s.attend(KernelType.SCALAR, 1, rule, s.tables(0), s.whole());
        float[][] vector = s.attend(KernelType.VECTOR, 1, rule, s.tables(0), s.whole());
        assertThat(Arrays.deepEquals(vector, scalar))
            .as("%s, heads and dims %s, seed %d", rule, Arrays.toString(shape), SEED)
            .isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(KvType.class)
  void neitherChunksNorBatchesNorPagesNorThreadsChangeABit(KvType type) {
    RandomAttentionInputs s = new RandomAttentionInputs(type, 8, 2, 32, 32, SEED, 200, 40, 129, 7);
    for (Attention.Rule rule :
        List.of(
            plain(32),
            new Attention.Rule(0.2f, 0, 33, true),
            new Attention.Rule(0.2f, 0, 150, true))) {
      float[][] whole = s.attend(KernelType.VECTOR, 1, rule, s.tables(0), s.whole());
      for (int most : new int[] {1, 7, 100}) {
        float[][] chunked =
            s.attend(KernelType.VECTOR, 1 + most % 3, rule, s.tables(most), s.chunked(most, most));
        assertThat(Arrays.deepEquals(chunked, whole))
            .as("%s, chunks up to %d, seed %d", rule, most, SEED)
            .isTrue();
      }
    }
  }

  @Test
  void aWindowWiderThanTheSequenceIsNone() {
    RandomAttentionInputs s = new RandomAttentionInputs(KvType.F16, 4, 2, 32, 32, SEED, 200);
    float[][] all = s.attend(KernelType.VECTOR, 2, plain(32), s.tables(0), s.whole());
    Attention.Rule wide = new Attention.Rule(plain(32).scale(), 0, 200, true);
    assertThat(Arrays.deepEquals(s.attend(KernelType.VECTOR, 2, wide, s.tables(0), s.whole()), all))
        .isTrue();
  }

  @Test
  void aWindowOfOneSeesItself() {
    RandomAttentionInputs s = new RandomAttentionInputs(KvType.F32, 2, 2, 16, 16, SEED, 140);
    float[][] out =
        s.attend(KernelType.VECTOR, 2, new Attention.Rule(1, 0, 1, true), s.tables(0), s.whole());
    assertThat(Arrays.deepEquals(out, s.v)).isTrue();
  }

  @Test
  void spansOnSeveralThreadsGiveTheBitsOfOneWorker() {
    RandomAttentionInputs s = new RandomAttentionInputs(KvType.F16, 5, 1, 16, 16, SEED, 1100, 600);
    for (Attention.Rule rule : List.of(plain(16), new Attention.Rule(0.25f, 0, 530, true))) {
      float[][] whole = s.attend(KernelType.VECTOR, 1, rule, s.tables(0), s.whole());
      assertThat(error(s.exact(rule), whole)).as("seed %d", SEED).isLessThan(4e-3);
      List<List<RandomAttentionInputs.Run>> turns =
          List.of(
              List.of(
                  new RandomAttentionInputs.Run(0, 0, 1099),
                  new RandomAttentionInputs.Run(1, 0, 598)),
              List.of(new RandomAttentionInputs.Run(1, 598, 1)),
              List.of(
                  new RandomAttentionInputs.Run(0, 1099, 1),
                  new RandomAttentionInputs.Run(1, 599, 1)));
      assertThat(Arrays.deepEquals(s.attend(KernelType.VECTOR, 3, rule, s.tables(5), turns), whole))
          .as("%s, seed %d", rule, SEED)
          .isTrue();
      assertThat(Arrays.deepEquals(s.attend(KernelType.SCALAR, 2, rule, s.tables(5), turns), whole))
          .as("%s, seed %d", rule, SEED)
          .isTrue();
    }
  }

  @Test
  void aNaNQueryAffectsOnlyItself() {
    for (KernelType kernels : KernelType.values()) {
      RandomAttentionInputs s = new RandomAttentionInputs(KvType.F16, 4, 1, 32, 32, SEED, 140);
      float[][] good = s.attend(kernels, 1, plain(32), s.tables(0), s.whole());
      s.q[0][(130 * 4 + 2) * 32 + 5] = Float.NaN;
      float[][] bad = s.attend(kernels, 1, plain(32), s.tables(0), s.whole());
      for (int i = 0; i < bad[0].length; i++) {
        float expected = i / 32 == 130 * 4 + 2 ? Float.NaN : good[0][i];
        assertThat(Float.floatToIntBits(bad[0][i])).isEqualTo(Float.floatToIntBits(expected));
      }
    }
  }

  @Test
  void aWindowWithoutCausalAttentionIsRejected() {
    assertThatThrownBy(() -> new Attention.Rule(1, 0, 5, false))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("window of 5");
  }

  @Test
  void headCountsThatDoNotDivideAreRejected() {
    try (KvCache store = new KvCache(new KvCache.Shape(1, 1, 3, 8, 8, KvType.F16))) {
      assertThatThrownBy(() -> new Attention(KernelType.SCALAR, store, 8, 1, 1))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("8 query heads");
    }
  }
}
