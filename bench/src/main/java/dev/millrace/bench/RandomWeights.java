package dev.millrace.bench;

import dev.millrace.engine.gguf.TensorType;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.oracle.Recipe;
import dev.millrace.engine.oracle.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Models of real shapes for measurements: how fast a model is does not depend on its weights. */
final class RandomWeights {
  private RandomWeights() {}

  /**
   * The file of that name where there is one; else random weights: 1b-TYPE is Llama 3.2 1B, and
   * smol-TYPE is SmolLM2 135M, where TYPE is one of tensors, or Q4_K_M.
   */
  static Path file(Path directory, String name) throws IOException {
    if (Files.exists(Path.of(name))) {
      return Path.of(name);
    }
    Shape shape = name.startsWith("1b-") ? Shape.llama1b() : Shape.smol135m();
    String type = name.substring(name.indexOf('-') + 1);
    Path file = directory.resolve(name + ".gguf");
    return type.equals("Q4_K_M")
        ? RandomModels.write(file, shape, Recipe.q4km(shape.layers()), 1)
        : RandomModels.write(file, shape, TensorType.valueOf(type), 1);
  }
}
