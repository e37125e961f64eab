package dev.millrace.engine.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.TestData;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.llamacpp.LlamaCpp;
import dev.millrace.engine.llamacpp.LlamaCpp.Settings;
import dev.millrace.engine.llamacpp.LlamaLibrary;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The reference against llama.cpp: they were written independently, so what both compute is right.
 * {@link EngineAccuracyTest} tests the types.
 */
class ReferenceModelTest {
  private static final long SEED = 1;

  /**
   * llama.cpp's error in F32: its cache of keys and values, and its table of GELU, have 16 bits.
   */
  private static final double SMALL = 2e-3;

  @TempDir Path directory;

  private Path model(ModelShape shape, TensorType type) throws IOException {
    return RandomModels.write(directory.resolve("model.gguf"), shape, type, SEED);
  }

  private static int[] tokens(int count) {
    return new Random(SEED).ints(count, 3, 320).toArray();
  }

  private static double peerError(Path file, int context) {
    int[] tokens = tokens(40);
    try (ReferenceModel reference = ReferenceModel.open(file, context);
        LlamaCpp peer = LlamaCpp.load(file, Settings.of(1).context(context))) {
      return RelativeError.of(peer.logits(tokens), reference.logits(tokens));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"llama", "qwen2", "qwen3", "qwen3moe", "gemma2", "gemma3", "phi3", "gpt2"})
  void decodersAgreeWithLlamaCpp(String architecture) throws IOException {
    Assumptions.assumeTrue(
        !architecture.startsWith("qwen3") || LlamaLibrary.get().isCurrent(),
        "this llama.cpp does not know " + architecture);
    assertThat(peerError(model(ModelShape.small(architecture), TensorType.F32), 64))
        .as("%s, seed %d", architecture, SEED)
        .isLessThan(SMALL);
  }

  @ParameterizedTest
  @CsvSource({
    "bert, MEAN",
    "bert, CLS",
    "bert, LAST",
    "nomic-bert, MEAN",
    "nomic-bert, CLS",
    "llama, MEAN",
    "llama, LAST"
  })
  void embeddingsAgreeWithLlamaCpp(String architecture, ReferenceModel.Pooling pooling)
      throws IOException {
    Path file = model(ModelShape.small(architecture), TensorType.F32);
    LlamaCpp.Pooling same = LlamaCpp.Pooling.valueOf(pooling.name());
    try (ReferenceModel reference = ReferenceModel.open(file);
        LlamaCpp peer = LlamaCpp.load(file, Settings.of(1).pooling(same))) {
      int[] tokens = tokens(40);
      assertThat(RelativeError.of(peer.embed(tokens), reference.embed(tokens, pooling)))
          .as("%s, seed %d", architecture, SEED)
          .isLessThan(SMALL);
    }
  }

  @Test
  void factorsOfTheRotationAgreeWithLlamaCpp() throws IOException {
    ModelShape shape = ModelShape.small("llama").withStretchedRotation();
    assertThat(peerError(model(shape, TensorType.F32), 64)).isLessThan(SMALL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "linear", "yarn"})
  void scaledRotationsAgreeWithLlamaCpp(String scaling) throws IOException {
    ModelShape shape =
        ModelShape.small("llama")
            .with("rope.scaling.type", scaling)
            .with("rope.scaling.factor", 4f)
            .with("rope.scaling.original_context_length", 16);
    assertThat(peerError(model(shape, TensorType.F32), 64)).isLessThan(SMALL);
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 512})
  void longAndShortFactorsAgreeWithLlamaCpp(int context) throws IOException {
    ModelShape shape =
        ModelShape.small("phi3")
            .withStretchedRotation()
            .with("rope.scaling.original_context_length", 256)
            .with("rope.scaling.attn_factor", 1.2f);
    assertThat(peerError(model(shape, TensorType.F32), context)).isLessThan(SMALL);
  }

  /**
   * In one layer, a row that sees the last eight positions is the last row of a text of eight
   * tokens: rotations are relative.
   */
  @Test
  void aWindowHidesEarlierPositions() throws IOException {
    ModelShape shape = ModelShape.small("llama").layers(1);
    Path file = model(shape.with("attention.sliding_window", 8), TensorType.F32);
    int[] tokens = tokens(40);
    try (ReferenceModel reference = ReferenceModel.open(file)) {
      double[] last = reference.logits(tokens)[39];
      double[] alone = reference.logits(Arrays.copyOfRange(tokens, 32, 40))[7];
      double[] more = reference.logits(Arrays.copyOfRange(tokens, 33, 40))[6];
      assertThat(distance(last, alone)).isLessThan(1e-12);
      assertThat(distance(last, more)).isGreaterThan(1e-3);
    }
  }

  private static double distance(double[] a, double[] b) {
    double most = 0;
    for (int i = 0; i < a.length; i++) {
      most = Math.max(most, Math.abs(a[i] - b[i]));
    }
    return most;
  }

  @Test
  void greedyStoryIsTheOneOfLlama2c() throws IOException {
    Path file = TestData.find("models/stories260K-f32.gguf");
    String story = Files.readString(TestData.find("models/stories260K-greedy-200.txt"));
    try (ReferenceModel reference = ReferenceModel.open(file);
        Gguf gguf = Gguf.open(file)) {
      int[] tokens = reference.generate(new int[] {1}, 200);
      String text = text(gguf.metadata().strings("tokenizer.ggml.tokens"), tokens);
      assertThat(text.strip()).startsWith(story.strip());
    }
  }

  private static String text(String[] pieces, int[] tokens) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int token : tokens) {
      if (token >= 3 && token < 259) {
        bytes.write(token - 3);
      } else {
        bytes.writeBytes(pieces[token].replace('\u2581', ' ').getBytes(StandardCharsets.UTF_8));
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
