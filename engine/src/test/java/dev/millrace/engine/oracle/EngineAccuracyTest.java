package dev.millrace.engine.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.kernel.Dequantizer;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.llamacpp.LlamaCpp;
import dev.millrace.engine.llamacpp.LlamaCpp.Settings;
import dev.millrace.engine.llamacpp.LlamaLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The engine is accurate: its error against the reference is at most {@link RelativeError#MARGIN}
 * times llama.cpp's.
 */
@Tag("slow")
class EngineAccuracyTest {
  private static final long SEED = 1;
  private static final int TOKENS = 32;

  /**
   * No error of llama.cpp is larger, though it rounds activations to 8 bits: else the reference
   * would be wrong.
   */
  private static final double LARGE = 0.03;

  private static final String[] KNOWN = {"llama", "qwen2", "gemma2", "gemma3", "phi3", "gpt2"};
  private static double largestError;

  @TempDir Path directory;
  private final TestReporter reporter;

  EngineAccuracyTest(TestReporter reporter) {
    this.reporter = reporter;
  }

  private Path model(ModelShape shape, TensorType type) throws IOException {
    return RandomModels.write(directory.resolve("model.gguf"), shape, type, SEED);
  }

  private static int[] tokens() {
    return new Random(SEED).ints(TOKENS, 3, 320).toArray();
  }

  private static EngineForward ours(Path file, int context) {
    LoadSettings settings = LoadSettings.usual().withThreads(1).withContext(context);
    return EngineForward.load(file, settings.withBatches(TOKENS, 1));
  }

  private void compare(String what, double ours, double theirs) {
    reporter.publishEntry(what, "error %.3g, llama.cpp's %.3g".formatted(ours, theirs));
    assertThat(theirs).as("%s, llama.cpp's error, seed %d", what, SEED).isLessThan(LARGE);
    assertThat(ours)
        .as("%s, seed %d; llama.cpp's error is %s", what, SEED, theirs)
        .isLessThanOrEqualTo(RelativeError.MARGIN * theirs);
  }

  private void check(ModelShape shape, TensorType type, int context) throws IOException {
    Path file = model(shape, type);
    int[] tokens = tokens();
    try (ReferenceModel reference = ReferenceModel.open(file, context);
        LlamaCpp peer = LlamaCpp.load(file, Settings.of(1).context(context));
        EngineForward ours = ours(file, context)) {
      double[][] expected = reference.logits(tokens);
      double theirs = RelativeError.of(peer.logits(tokens), expected);
      double error = RelativeError.of(ours.logits(tokens), expected);
      compare(shape.architecture() + " " + type + " " + shape.more(), error, theirs);
    }
  }

  @ParameterizedTest
  @FieldSource("KNOWN")
  void architecturesAreAsRightAsInLlamaCpp(String architecture) throws IOException {
    check(ModelShape.small(architecture), TensorType.F32, 256);
  }

  /** Where llama.cpp does not know an architecture, its error on the others is the measure. */
  @ParameterizedTest
  @ValueSource(strings = {"qwen3", "qwen3moe"})
  void newerArchitecturesAreAsRight(String architecture) throws IOException {
    if (LlamaLibrary.get().isCurrent()) {
      check(ModelShape.small(architecture), TensorType.F32, 256);
      return;
    }
    checkWithoutPeer(ModelShape.small(architecture));
  }

  /** llama.cpp does not keep to the windows of these. */
  @ParameterizedTest
  @ValueSource(strings = {"llama", "phi3"})
  void windowsInAllLayersAreAsRight(String architecture) throws IOException {
    checkWithoutPeer(ModelShape.small(architecture).with("attention.sliding_window", 8));
  }

  private void checkWithoutPeer(ModelShape shape) throws IOException {
    double largest = largest();
    Path file = model(shape, TensorType.F32);
    int[] tokens = tokens();
    try (ReferenceModel reference = ReferenceModel.open(file);
        EngineForward ours = ours(file, 256)) {
      double error = RelativeError.of(ours.logits(tokens), reference.logits(tokens));
      compare(shape.architecture() + " " + shape.more(), error, largest);
    }
  }

  private double largest() throws IOException {
    if (largestError > 0) {
      return largestError;
    }
    double largest = 0;
    for (String known : KNOWN) {
      Path file = model(ModelShape.small(known), TensorType.F32);
      try (ReferenceModel reference = ReferenceModel.open(file);
          LlamaCpp peer = LlamaCpp.load(file, 1)) {
        largest =
            Math.max(largest, RelativeError.of(peer.logits(tokens()), reference.logits(tokens())));
      }
    }
    largestError = largest;
    return largest;
  }

  @ParameterizedTest
  @CsvSource({
    "bert, MEAN",
    "bert, CLS",
    "nomic-bert, MEAN",
    "nomic-bert, CLS",
    "llama, MEAN",
    "llama, LAST"
  })
  void embeddingsAreAsRightAsInLlamaCpp(String architecture, ReferenceModel.Pooling pooling)
      throws IOException {
    Path file = model(ModelShape.small(architecture), TensorType.F32);
    int[] tokens = tokens();
    LlamaCpp.Pooling same = LlamaCpp.Pooling.valueOf(pooling.name());
    try (ReferenceModel reference = ReferenceModel.open(file);
        LlamaCpp peer = LlamaCpp.load(file, Settings.of(1).pooling(same));
        EngineForward ours = ours(file, 256)) {
      double[] expected = reference.embed(tokens, pooling);
      double theirs = RelativeError.of(peer.embed(tokens), expected);
      double error = RelativeError.of(ours.embed(tokens, pooling), expected);
      compare(architecture + " " + pooling, error, theirs);
    }
  }

  static Stream<TensorType> types() {
    return Arrays.stream(TensorType.values()).filter(Dequantizer::supports);
  }

  @ParameterizedTest
  @MethodSource("types")
  void typesAreAsRightAsInLlamaCpp(TensorType type) throws IOException {
    check(ModelShape.small("llama"), type, 256);
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "linear", "yarn"})
  void scaledRotationsAreAsRightAsInLlamaCpp(String scaling) throws IOException {
    ModelShape shape =
        ModelShape.small("llama")
            .withStretchedRotation()
            .with("rope.scaling.type", scaling)
            .with("rope.scaling.factor", 4f)
            .with("rope.scaling.original_context_length", 16);
    check(shape, TensorType.F32, 256);
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 512})
  void longAndShortFactorsAreAsRightAsInLlamaCpp(int context) throws IOException {
    ModelShape shape =
        ModelShape.small("phi3")
            .withStretchedRotation()
            .with("rope.scaling.original_context_length", 256)
            .with("rope.scaling.attn_factor", 1.2f);
    check(shape, TensorType.F32, context);
  }
}
