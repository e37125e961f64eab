package dev.millrace.examples;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * A language model inside your program. Start it with {@code --add-modules jdk.incubator.vector}.
 */
public final class EmbeddedModel {
  private EmbeddedModel() {}

  /**
   * Runs one prompt.
   *
   * @param args the directory of the workspace, the GGUF file, and the prompt
   */
  public static void main(String[] args) throws InterruptedException {
    Workspace workspace = Workspace.open(Path.of(args[0]));
    InferenceSettings settings = InferenceSettings.of(List.of(NamedModel.of(Path.of(args[1]))));
    try (JobStore store = workspace.own().orElseThrow();
        Inference inference = Inference.open(settings);
        Server server =
            Server.builder(store).group(inference.slots(), inference.workers()).build()) {
      server.start();
      JobId id = Objects.requireNonNull(workspace.work().submit(args[2]).id());
      System.out.println(id + " " + workspace.flow().await(id, Duration.ofMinutes(10)));
      workspace.flow().get(id).ifPresent(job -> System.out.println(job.result()));
    }
  }
}
