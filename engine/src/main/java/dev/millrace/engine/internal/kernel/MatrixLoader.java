package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.Matrix;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/** Loads the tensors of a file as matrices. */
public final class MatrixLoader {
  private MatrixLoader() {}

  /**
   * Reads rows [firstRow, firstRow + rows) of a tensor into memory of the arena, in the layout of
   * their kernel. The arena is closed only when nothing computes with them any more.
   */
  public static Matrix load(
      KernelType kernels,
      Gguf gguf,
      TensorInfo tensor,
      int firstRow,
      int rows,
      ComputePool pool,
      Arena arena) {
    TensorPacker packing = new TensorPacker(kernels, pool, arena, gguf::read, tensor, firstRow);
    return load(packing, rows, gguf.file());
  }

  /**
   * @param file for messages
   */
  static Matrix load(TensorPacker packing, int rows, Path file) {
    TensorInfo tensor = packing.tensor();
    return switch (tensor.type()) {
      case Q4_0 -> new Q4_0Matrix(packing, rows, tensor.columns());
      case Q4_K -> new Q4_KMatrix(packing, rows, tensor.columns());
      case Q8_0 -> new Q8_0Matrix(packing, rows, tensor.columns());
      case Q6_K -> new Q6_KMatrix(packing, rows, tensor.columns());
      case F32, F16, BF16 -> new FloatMatrix(packing, rows, tensor.columns());
      default -> new BitPlaneMatrix(packing, rows, tensor.columns(), format(file, tensor));
    };
  }

  private static BlockFormat format(Path file, TensorInfo tensor) {
    return BlockFormat.of(tensor.type())
        .orElseThrow(
            () ->
                new EngineException(
                    "%s: tensor \"%s\" has type %s, which cannot be computed with"
                        .formatted(file, tensor.name(), tensor.type())));
  }

  /** As above, in memory that stays until the process ends. */
  public static Matrix load(
      KernelType kernels, Gguf gguf, TensorInfo tensor, int firstRow, int rows, ComputePool pool) {
    return load(kernels, gguf, tensor, firstRow, rows, pool, Arena.global());
  }
}
