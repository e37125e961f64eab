package dev.millrace.engine.tensor;

import dev.millrace.engine.EngineException;
import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.gguf.TensorInfo;
import java.lang.foreign.Arena;

/** Turns the tensors of a file into matrices. */
public final class Matrices {
  private Matrices() {}

  /**
   * Reads rows [firstRow, firstRow + rows) of a tensor into memory of the arena, in the layout of
   * their kernel. The arena is closed only when nothing computes with them any more.
   */
  public static Matrix load(
      Kernels kernels,
      Gguf gguf,
      TensorInfo tensor,
      int firstRow,
      int rows,
      Crew crew,
      Arena arena) {
    Packing packing = new Packing(kernels, crew, arena, gguf, tensor, firstRow);
    return switch (tensor.type()) {
      case Q4_0 -> new NibbleMatrix(packing, rows, tensor.columns());
      case Q4_K -> new SuperNibbleMatrix(packing, rows, tensor.columns());
      case Q8_0 -> new ByteMatrix(packing, rows, tensor.columns());
      case Q6_K -> new SixBitMatrix(packing, rows, tensor.columns());
      case F32, F16, BF16 -> new FloatMatrix(packing, rows, tensor.columns());
      case Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q5_K, IQ4_NL, IQ4_XS, IQ2_XXS ->
          new PlaneMatrix(packing, rows, tensor.columns(), Codes.valueOf(tensor.type().name()));
      default ->
          throw new EngineException(
              gguf.file()
                  + ": tensor \""
                  + tensor.name()
                  + "\" has type "
                  + tensor.type()
                  + ", which cannot be computed with");
    };
  }

  /** As above, in memory that stays until the process ends. */
  public static Matrix load(
      Kernels kernels, Gguf gguf, TensorInfo tensor, int firstRow, int rows, Crew crew) {
    return load(kernels, gguf, tensor, firstRow, rows, crew, Arena.global());
  }
}
