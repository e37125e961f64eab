package dev.millrace.engine.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.oracle.ReferenceModel;
import dev.millrace.engine.oracle.RelativeError;
import dev.millrace.engine.oracle.TinyShapes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each architecture, with all that distinguishes it, against the reference. */
class ArchitectureForwardTest {
  private static final long SEED = 7;

  @TempDir Path directory;

  static Stream<ModelShape> shapes() {
    return Stream.of(
        TinyShapes.shape("llama"),
        TinyShapes.shape("llama").withStretchedRotation().tied(true),
        TinyShapes.shape("llama")
            .with("rope.scaling.type", "linear")
            .with("rope.scaling.factor", 4f),
        TinyShapes.shape("llama")
            .with("rope.scaling.type", "yarn")
            .with("rope.scaling.factor", 4f)
            .with("rope.scaling.original_context_length", 64),
        TinyShapes.shape("llama").with("expert_count", 8).with("expert_used_count", 3),
        TinyShapes.shape("qwen2"),
        TinyShapes.shape("qwen3"),
        TinyShapes.shape("qwen3moe"),
        TinyShapes.shape("gemma2"),
        TinyShapes.shape("gemma3"),
        TinyShapes.shape("phi3"),
        TinyShapes.shape("phi3")
            .withStretchedRotation()
            .with("rope.scaling.original_context_length", 128)
            .with("rope.scaling.attn_factor", 1.2f),
        TinyShapes.shape("phi3").withStretchedRotation(),
        TinyShapes.shape("gpt2"));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void logitsAreThoseOfTheReference(ModelShape shape) throws IOException {
    Path file = RandomModels.write(directory.resolve("model.gguf"), shape, TensorType.F32, SEED);
    int[] tokens = new Random(SEED).ints(40, 0, shape.vocabulary()).toArray();
    try (PlainModel rig = new PlainModel(file, PlainModel.settings());
        ReferenceModel reference = ReferenceModel.open(file, 256)) {
      double error = RelativeError.of(rig.logits(0, tokens), reference.logits(tokens));
      assertThat(error).as("relative error, seed %d", SEED).isLessThan(2e-5);
    }
  }
}
