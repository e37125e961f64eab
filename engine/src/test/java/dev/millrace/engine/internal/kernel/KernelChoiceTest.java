package dev.millrace.engine.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.gguf.TensorType;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The test that native kernels have to pass before anything else computes with them. */
class KernelChoiceTest {
  @BeforeEach
  void needsNativeKernels() {
    assumeThat(KernelChoice.reasonAgainstNative()).isEmpty();
  }

  @Test
  void theKernelsOfThisProcessorPass() {
    assertThat(KernelChoice.difference(KernelChoiceTest::load)).isEmpty();
  }

  /** In the first row, in the last one of a whole band, and in the last one of all. */
  @ParameterizedTest
  @ValueSource(ints = {0, 31, 42})
  void oneBitOfOneRowIsSeen(int row) {
    assertThat(
            KernelChoice.difference(
                (packing, rows) -> {
                  InterleavedMatrix matrix = load(packing, rows);
                  flip(matrix, row);
                  return matrix;
                }))
        .contains("kernel of Q4_0 differs from the scalar oracle");
  }

  /** The highest bit of the row's first weight: bands of 32 rows begin with a lane for each. */
  private static void flip(InterleavedMatrix matrix, int row) {
    long at = row / 32 * 2 * matrix.groupBytes + row % 32 * 4;
    byte old = matrix.weights.get(ValueLayout.JAVA_BYTE, at);
    matrix.weights.set(ValueLayout.JAVA_BYTE, at, (byte) (old ^ 8));
  }

  @ParameterizedTest
  @EnumSource(
      value = TensorType.class,
      names = {"Q4_0", "Q4_K", "Q6_K", "Q8_0"})
  void everyNativeFormatIsTested(TensorType type) {
    assertThat(
            KernelChoice.difference(
                (packing, rows) -> {
                  InterleavedMatrix matrix = load(packing, rows);
                  if (packing.tensor().type() == type) {
                    matrix.weights.asSlice(0, matrix.groupBytes).fill((byte) 1);
                  }
                  return matrix;
                }))
        .contains("kernel of " + type + " differs");
  }

  @Test
  void whatWasAskedForIsOtherwiseKept() {
    assertThat(KernelChoice.of(KernelType.SCALAR)).isEqualTo(KernelType.SCALAR);
    assertThat(KernelChoice.of(KernelType.VECTOR)).isEqualTo(KernelType.VECTOR);
    assertThat(KernelChoice.of(KernelType.NATIVE)).isEqualTo(KernelType.NATIVE);
  }

  private static InterleavedMatrix load(TensorPacker packing, int rows) {
    return (InterleavedMatrix) MatrixLoader.load(packing, rows, Path.of("test"));
  }
}
