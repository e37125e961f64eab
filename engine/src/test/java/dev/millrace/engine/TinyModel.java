package dev.millrace.engine;

import dev.millrace.engine.internal.config.Architecture;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.kernel.Dequantizer;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.QuantizationRecipe;
import dev.millrace.engine.oracle.RandomModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A random model as small as its architecture and its types allow, of at least three layers, so
 * that it can be cut in three.
 */
record TinyModel(String name, ModelShape shape, QuantizationRecipe recipe) {
  /** Not a whole number of vectors. */
  static final int VOCABULARY = 317;

  /** The width of most models. */
  static final int CONTEXT = 256;

  private static final long SEED = 11;

  /** The kinds of arithmetic, and the architectures. */
  static final List<TinyModel> USUAL =
      List.of(
          of("llama", TensorType.Q4_0),
          new TinyModel("llama Q8_0 long", longer(), QuantizationRecipe.all(TensorType.Q8_0)),
          new TinyModel("llama Q4_K_M", mixed(), QuantizationRecipe.q4km(3)),
          new TinyModel("llama F16 odd", odd(), QuantizationRecipe.all(TensorType.F16)),
          of("qwen3moe", TensorType.IQ4_NL),
          of("gemma2", TensorType.Q4_1),
          of("gemma3", TensorType.Q8_0),
          of("phi3", TensorType.Q5_0),
          of("gpt2", TensorType.BF16));

  static TinyModel of(String architecture, TensorType type) {
    int width = Math.max(64, type.blockLength());
    return new TinyModel(
        architecture + " " + type, shape(architecture, width), QuantizationRecipe.all(type));
  }

  /** Every architecture that generates, in every type; and the odd ones. */
  static List<TinyModel> all() {
    List<TinyModel> all = new ArrayList<>(USUAL.subList(1, 4));
    for (Architecture architecture : Architecture.values()) {
      if (!architecture.isEncoder()) {
        Arrays.stream(TensorType.values())
            .filter(Dequantizer::supports)
            .forEach(type -> all.add(of(architecture.key(), type)));
      }
    }
    return all;
  }

  private static ModelShape shape(String architecture, int width) {
    ModelShape small = ModelShape.small(architecture);
    int layers = architecture.equals("gemma3") ? 6 : 3; // of Gemma 3's, every sixth has no window
    int kvHeads = small.kvHeads() == small.heads() ? 4 : 2;
    return new ModelShape(
        architecture,
        layers,
        width,
        4,
        kvHeads,
        width / 4,
        width,
        VOCABULARY,
        CONTEXT,
        small.tied(),
        false,
        small.more());
  }

  /**
   * Wide enough for the large blocks where they matter, and narrow elsewhere, where Q4_K_M uses
   * other types.
   */
  private static ModelShape mixed() {
    return new ModelShape(
        "llama", 3, 256, 4, 1, 16, 64, VOCABULARY, CONTEXT, true, false, Map.of());
  }

  /** As narrow as its blocks allow, with a context in which attention has several spans. */
  private static ModelShape longer() {
    return new ModelShape("llama", 3, 32, 2, 1, 16, 64, VOCABULARY, 1024, false, false, Map.of());
  }

  /** Rows and columns that fill no whole vector, three queries to a key. */
  private static ModelShape odd() {
    return new ModelShape("llama", 3, 44, 3, 1, 12, 75, VOCABULARY, CONTEXT, true, false, Map.of());
  }

  /**
   * How many pages longer the long prompts are: they end before position 128 and continue beyond,
   * as chunks of attention do; or they are beyond 512, where its second span begins.
   */
  int morePages() {
    return shape.context() > CONTEXT ? 15 : 2;
  }

  /** Its file, written on first use. */
  Path in(Path directory) throws IOException {
    Path file = directory.resolve(name.replace(' ', '-') + ".gguf");
    return Files.exists(file) ? file : RandomModels.write(file, shape, recipe, SEED);
  }

  @Override
  public String toString() {
    return name;
  }
}
