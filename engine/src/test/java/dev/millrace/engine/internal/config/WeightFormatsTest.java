package dev.millrace.engine.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The formats of matrices: of all, or of some layers. */
class WeightFormatsTest {
  @TempDir Path directory;

  @Test
  void matricesCountAndVectorsDoNot() throws IOException {
    Path file =
        RandomModels.write(
            directory.resolve("m.gguf"),
            ModelShape.small("llama"),
            (name, layer, columns) ->
                layer < 0 ? TensorType.Q8_0 : layer == 0 ? TensorType.Q4_0 : TensorType.Q5_1,
            1);
    try (Gguf gguf = Gguf.open(file)) {
      int layers = ModelConfig.of(gguf).layers();
      assertThat(layers).isGreaterThan(1);
      assertThat(WeightFormats.of(gguf)).containsExactlyInAnyOrder("q8_0", "q4_0", "q5_1");
      assertThat(WeightFormats.ofLayers(gguf, 0, 1)).containsExactly("q4_0");
      assertThat(WeightFormats.ofLayers(gguf, 1, layers)).containsExactly("q5_1");
      assertThat(WeightFormats.ofLayers(gguf, layers, layers)).isEmpty();
    }
  }
}
