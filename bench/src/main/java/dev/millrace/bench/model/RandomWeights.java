package dev.millrace.bench.model;

import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.QuantizationRecipe;
import dev.millrace.engine.oracle.RandomModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates models of real shapes with random weights: the speed does not depend on the weights. */
public final class RandomWeights {
  private RandomWeights() {}

  /**
   * The file of that name if there is one; else random weights: 1b-TYPE is Llama 3.2 1B, and
   * smol-TYPE is SmolLM2 135M, where TYPE is one of tensors, or Q4_K_M.
   */
  public static Path file(Path directory, String name) throws IOException {
    if (Files.exists(Path.of(name))) {
      return Path.of(name);
    }
    ModelShape shape = name.startsWith("1b-") ? ModelShape.llama1b() : ModelShape.smol135m();
    String type = name.substring(name.indexOf('-') + 1);
    Path file = directory.resolve(name + ".gguf");
    return type.equals("Q4_K_M")
        ? RandomModels.write(file, shape, QuantizationRecipe.q4km(shape.layers()), 1)
        : RandomModels.write(file, shape, TensorType.valueOf(type), 1);
  }
}
