package dev.millrace.engine.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.Matrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every type: vectors against the scalar reference bit for bit, both against the dequantized
 * weights.
 */
@Tag("slow")
class MatrixLoaderTest {
  private static final int[] COUNTS = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33, 130};

  /** The native kernels, on a machine that has some. */
  private static final KernelType NATIVE = KernelChoice.of(KernelType.NATIVE);

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "Q8_1", "Q8_K", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ3_S", "IQ2_S", "I8", "I16", "I32", "I64",
        "F64", "IQ1_M", "TQ1_0", "TQ2_0", "MXFP4"
      })
  void vectorsGiveTheBitsOfTheOracle(TensorType type) throws Exception {
    for (int rows : new int[] {1, 16, 40, 100}) {
      int columns = type.blockLength() == 1 ? 171 + rows : 512;
      try (Gguf gguf =
              RandomMatrixFile.open(directory.resolve("w.gguf"), type, rows, columns, rows);
          ComputePool pool = new ComputePool(2)) {
        TensorInfo tensor = gguf.tensor("w").orElseThrow();
        Matrix scalar = MatrixLoader.load(KernelType.SCALAR, gguf, tensor, 0, rows, pool);
        Matrix vector = MatrixLoader.load(KernelType.VECTOR, gguf, tensor, 0, rows, pool);
        Matrix nativeOne = MatrixLoader.load(NATIVE, gguf, tensor, 0, rows, pool);
        for (int count : COUNTS) {
          Activations x = random(columns, count, 77 + count, KernelType.VECTOR);
          float[] expected = product(scalar, x, count, rows);
          assertThat(product(vector, x, count, rows))
              .as("%s, %d rows, %d columns, seeds %d and %d", type, rows, count, rows, 77 + count)
              .isEqualTo(expected);
          assertThat(product(nativeOne, random(columns, count, 77 + count, NATIVE), count, rows))
              .as("native %s, %d by %d, seeds %d and %d", type, rows, count, rows, 77 + count)
              .isEqualTo(expected);
          near(type, gguf, tensor, x, count, expected);
        }
      }
    }
  }

  /** Damaged or extreme activations are the same nonsense for all kernels, so that it is noticed. */
  @ParameterizedTest
  @EnumSource(names = {"Q4_0", "Q4_K", "Q6_K", "Q8_0"})
  void specialActivationsGiveTheBitsOfTheOracle(TensorType type) throws Exception {
    float[] specials = {
      Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, -0f, 1e-40f, 1e38f, -3e38f, 0.5f
    };
    try (Gguf gguf = RandomMatrixFile.open(directory.resolve("w.gguf"), type, 40, 512, 3);
        ComputePool pool = new ComputePool(1)) {
      TensorInfo tensor = gguf.tensor("w").orElseThrow();
      Matrix scalar = MatrixLoader.load(KernelType.SCALAR, gguf, tensor, 0, 40, pool);
      for (float scale : new float[] {1, 1e-37f, 1e-38f, 1e-41f, 1e37f}) {
        for (float special : specials) {
          float[] expected = specialProduct(scalar, KernelType.SCALAR, scale, special);
          for (KernelType kernels : List.of(KernelType.VECTOR, NATIVE)) {
            Matrix matrix = MatrixLoader.load(kernels, gguf, tensor, 0, 40, pool);
            assertThat(specialProduct(matrix, kernels, scale, special))
                .as("%s %s, activations of %s with a %s", kernels, type, scale, special)
                .isEqualTo(expected);
          }
        }
      }
    }
  }

  /** Of rows without the special value, with one, with a whole block, and with nothing else. */
  private static float[] specialProduct(
      Matrix matrix, KernelType kernels, float scale, float special) {
    Activations x = random(512, 5, 4, kernels);
    for (int i = 0; i < x.values.length; i++) {
      int row = i / 512;
      boolean put = row == 1 ? i % 512 == 77 : row == 2 ? i % 512 / 32 == 3 : row > 2;
      x.values[i] = put ? special : row == 0 && i % 2 == 0 ? scale : x.values[i] * scale;
    }
    for (int row = 0; row < 5; row++) {
      x.prepareRow(row);
    }
    return product(matrix, x, 5, 40);
  }

  /**
   * The product does not depend on the number of columns, nor on where a part of the rows begins.
   */
  @ParameterizedTest
  @EnumSource(names = {"Q4_0", "Q4_K", "Q6_K", "Q8_0", "F16", "Q5_K", "IQ2_XXS"})
  void columnsAndPartsDoNotMatter(TensorType type) throws Exception {
    for (KernelType kernels : List.of(KernelType.VECTOR, NATIVE)) {
      columnsAndPartsDoNotMatter(type, kernels);
    }
  }

  private void columnsAndPartsDoNotMatter(TensorType type, KernelType kernels) throws Exception {
    int rows = 200;
    try (Gguf gguf = RandomMatrixFile.open(directory.resolve("w.gguf"), type, rows, 768, 5);
        ComputePool pool = new ComputePool(1)) {
      Matrix matrix =
          MatrixLoader.load(kernels, gguf, gguf.tensor("w").orElseThrow(), 0, rows, pool);
      Activations x = random(768, 40, 9, kernels);
      float[] together = product(matrix, x, 40, rows);
      float[] apart = new float[40 * rows];
      for (int c = 0; c < 40; c++) {
        for (int from = 0; from < rows; from += matrix.rowStep()) {
          matrix.multiply(
              from, Math.min(rows, from + matrix.rowStep()), x, c, 1, apart, c, rows, 0, 0);
        }
      }
      assertThat(apart).as("seeds 5 and 9").isEqualTo(together);
    }
  }

  /** Fused tensors and experts are split by rows. */
  @Test
  void aRangeOfRowsIsAMatrixOfItsOwn() throws Exception {
    try (Gguf gguf =
            RandomMatrixFile.open(directory.resolve("w.gguf"), TensorType.Q4_K, 96, 256, 3);
        ComputePool pool = new ComputePool(2)) {
      TensorInfo tensor = gguf.tensor("w").orElseThrow();
      Matrix whole = MatrixLoader.load(KernelType.VECTOR, gguf, tensor, 0, 96, pool);
      Matrix part = MatrixLoader.load(KernelType.VECTOR, gguf, tensor, 24, 40, pool);
      float[] row = new float[256];
      float[] same = new float[256];
      for (int r = 0; r < 40; r++) {
        part.row(r, row, 0);
        whole.row(24 + r, same, 0);
        assertThat(row).isEqualTo(same);
      }
    }
  }

  @Test
  void unknownTypesAreRejectedByName() throws Exception {
    try (Gguf gguf =
            RandomMatrixFile.open(directory.resolve("w.gguf"), TensorType.IQ3_S, 16, 256, 1);
        ComputePool pool = new ComputePool(1)) {
      assertThatThrownBy(
              () ->
                  MatrixLoader.load(
                      KernelType.SCALAR, gguf, gguf.tensor("w").orElseThrow(), 0, 16, pool))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("w.gguf")
          .hasMessageContaining("\"w\"")
          .hasMessageContaining("IQ3_S");
    }
  }

  private static Activations random(int columns, int rows, long seed, KernelType kernels) {
    Activations x = new Activations(columns, rows, true, kernels);
    Random random = new Random(seed);
    for (int i = 0; i < x.values.length; i++) {
      x.values[i] = (float) (random.nextGaussian() * Math.exp(random.nextGaussian()));
    }
    for (int row = 0; row < rows; row++) {
      x.prepareRow(row);
    }
    return x;
  }

  private static float[] product(Matrix matrix, Activations x, int count, int rows) {
    float[] out = new float[count * rows];
    matrix.multiply(0, rows, x, 0, count, out, 0, rows, 0, 0);
    return out;
  }

  /**
   * Within the error of 8-bit activations, or of 32-bit sums for matrices that take floats; and
   * rows equal the dequantized ones.
   */
  private static void near(
      TensorType type, Gguf gguf, TensorInfo tensor, Activations x, int count, float[] product) {
    int rows = tensor.rows();
    int columns = tensor.columns();
    MemorySegment raw = Arena.ofAuto().allocate(tensor.bytes());
    gguf.read(tensor, 0, raw);
    float[] row = new float[columns];
    double error = 0;
    double all = 0;
    for (int r = 0; r < rows; r++) {
      Dequantizer.row(type, raw, r * type.rowBytes(columns), columns, row, 0);
      for (int c = 0; c < count; c++) {
        double dot = 0;
        for (int k = 0; k < columns; k++) {
          double term = (double) row[k] * x.values[c * columns + k];
          dot += term;
          all += term * term;
        }
        error += Math.pow(dot - product[c * rows + r], 2);
      }
    }
    boolean integers =
        type == TensorType.Q4_0 || type == TensorType.Q4_K || type == TensorType.Q6_K;
    assertThat(Math.sqrt(error / all)).isLessThan(integers ? 5e-2 : 1e-6);
  }
}
