package dev.millrace.engine.oracle;

import dev.millrace.engine.internal.gguf.TensorType;

/** Which type a matrix of a model has. Vectors are always F32. */
@FunctionalInterface
public interface QuantizationRecipe {
  /**
   * The type of a matrix.
   *
   * @param layer -1 for those at the ends
   * @param columns the length of its rows
   */
  TensorType of(String name, int layer, int columns);

  /** All matrices have one type. */
  static QuantizationRecipe all(TensorType type) {
    return (name, layer, columns) -> type;
  }

  /**
   * llama.cpp's Q4_K_M: Q6_K for the head and, in a part of the layers, for values and the
   * network's second matrix; other types where rows are no whole blocks ({@code
   * src/llama-quant.cpp}).
   */
  static QuantizationRecipe q4km(int layers) {
    return (name, layer, columns) -> {
      boolean ends = layer < 0;
      boolean better =
          layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
      boolean sensitive = name.contains("attn_v") || name.contains("ffn_down");
      boolean six = ends || better && sensitive;
      if (columns % 256 != 0) {
        return six ? TensorType.Q8_0 : TensorType.Q5_0;
      }
      return six ? TensorType.Q6_K : TensorType.Q4_K;
    };
  }
}
