package dev.millrace.server.infer;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.server.infer.model.NamedModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Small models with random weights, created once for all tests, and settings to serve them. */
public final class TinyModels {
  /** The context that the models were "trained" on. */
  static final int CONTEXT = 256;

  /** The width of their states and vectors. */
  static final int WIDTH = 64;

  /** The last token of {@link #thinker}, which closes thoughts. */
  static final int CLOSE = 319;

  private static final Path DIRECTORY = directory();

  private TinyModels() {}

  private static Path directory() {
    try {
      Path directory = Files.createTempDirectory("millrace-models");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(directory);
    } catch (IOException e) {
      // the system clears its directory for temporary files
    }
  }

  public static NamedModel llama() {
    return model("tiny", "llama", 1);
  }

  static NamedModel other() {
    return model("other", "llama", 2);
  }

  /** A model that can close its thoughts: {@link #CLOSE} is one token of it. */
  static NamedModel thinker() {
    return model("thinker", "llama", 4);
  }

  /** A model with weights of another format than the others. */
  static NamedModel fourBit() {
    return model("four", "llama", 5, TensorType.Q4_0);
  }

  static NamedModel encoder() {
    return model("vectors", "bert", 3);
  }

  static NamedModel model(String name, String architecture, long seed) {
    return model(name, architecture, seed, TensorType.Q8_0);
  }

  private static synchronized NamedModel model(
      String name, String architecture, long seed, TensorType type) {
    Path file = DIRECTORY.resolve(name + ".gguf");
    try {
      if (!Files.exists(file)) {
        int kvHeads = architecture.equals("bert") ? 4 : 2;
        ModelShape shape =
            new ModelShape(
                architecture, 2, WIDTH, 4, kvHeads, 16, 64, 320, CONTEXT, false, false, Map.of());
        List<String> last = name.equals("thinker") ? List.of("</think>") : List.of();
        RandomModels.write(file, shape, type, seed, last);
      }
      return new NamedModel(name, file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static EngineSettings engine() {
    return EngineSettings.usual()
        .withThreads(1)
        .withSlots(4)
        .withTokens(4 * CONTEXT)
        .withKernels(KernelType.SCALAR); // the same bits, and no warm-up
  }

  static InferenceSettings serving(NamedModel... models) {
    return InferenceSettings.of(List.copyOf(Arrays.asList(models))).withEngine(engine());
  }
}
