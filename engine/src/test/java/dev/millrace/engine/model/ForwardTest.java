package dev.millrace.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.gguf.TensorType;
import dev.millrace.engine.oracle.Errors;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.oracle.Reference;
import dev.millrace.engine.oracle.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each architecture, with all that distinguishes it, against the reference. */
class ForwardTest {
  private static final long SEED = 7;

  @TempDir Path directory;

  static Stream<Shape> shapes() {
    return Stream.of(
        Tiny.shape("llama"),
        Tiny.shape("llama").withStretchedRotation().tied(true),
        Tiny.shape("llama").with("rope.scaling.type", "linear").with("rope.scaling.factor", 4f),
        Tiny.shape("llama")
            .with("rope.scaling.type", "yarn")
            .with("rope.scaling.factor", 4f)
            .with("rope.scaling.original_context_length", 64),
        Tiny.shape("llama").with("expert_count", 8).with("expert_used_count", 3),
        Tiny.shape("qwen2"),
        Tiny.shape("qwen3"),
        Tiny.shape("qwen3moe"),
        Tiny.shape("gemma2"),
        Tiny.shape("gemma3"),
        Tiny.shape("phi3"),
        Tiny.shape("phi3")
            .withStretchedRotation()
            .with("rope.scaling.original_context_length", 128)
            .with("rope.scaling.attn_factor", 1.2f),
        Tiny.shape("phi3").withStretchedRotation(),
        Tiny.shape("gpt2"));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void logitsAreThoseOfTheReference(Shape shape) throws IOException {
    Path file = RandomModels.write(directory.resolve("model.gguf"), shape, TensorType.F32, SEED);
    int[] tokens = new Random(SEED).ints(40, 0, shape.vocabulary()).toArray();
    try (Rig rig = new Rig(file, Rig.settings());
        Reference reference = Reference.open(file, 256)) {
      double error = Errors.of(rig.logits(0, tokens), reference.logits(tokens));
      assertThat(error).as("relative error, seed %d", SEED).isLessThan(2e-5);
    }
  }
}
