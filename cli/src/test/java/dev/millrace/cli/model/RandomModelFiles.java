package dev.millrace.cli.model;

import dev.millrace.core.store.JobStore;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.server.Server;
import dev.millrace.server.ServerBuilder;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes small models of random weights, and processes jobs with one. */
public final class RandomModelFiles {
  private RandomModelFiles() {}

  /** A model that generates meaningless text. */
  public static Path random(Path file, int seed) throws IOException {
    return RandomModels.write(file, ModelShape.small("llama"), TensorType.Q8_0, seed);
  }

  /** A model for embeddings. */
  public static Path encoder(Path file) throws IOException {
    return RandomModels.write(file, ModelShape.small("bert"), TensorType.Q8_0, 1);
  }

  /** Processes all tasks of a workspace that a model can do. */
  public static void drain(Path workspace, String name, Path model) throws InterruptedException {
    drain(workspace, name, model, null);
  }

  /** The same with a chat template in place of the model's. */
  public static void drain(Path workspace, String name, Path model, @Nullable String template)
      throws InterruptedException {
    InferenceSettings settings =
        InferenceSettings.of(List.of(new NamedModel(name, model)))
            .withChatTemplate(template)
            .withEngine(EngineSettings.usual().withThreads(2).withSlots(4));
    try (JobStore store = Workspace.open(workspace).own().orElseThrow();
        Inference inference = Inference.open(settings)) {
      ServerBuilder builder = Server.builder(store).slots(inference.slots());
      inference.workers().forEach(builder::worker);
      try (Server server = builder.build()) {
        server.start();
        server.drain();
      }
    }
  }
}
