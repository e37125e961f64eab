package dev.millrace.examples;

import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.ServerBuilder;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.ModelFile;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A model at work inside another program. Start it with {@code --add-modules jdk.incubator.vector}. */
public final class EmbeddedModel {
  private EmbeddedModel() {}

  /** Runs one prompt through a workspace: the directory, the GGUF file and the prompt are given. */
  public static void main(String[] args) throws InterruptedException {
    Workspace workspace = Workspace.open(Path.of(args[0]));
    JobId id = workspace.work().submit(args[2]).id();
    if (id == null) {
      System.err.println("an empty prompt, or the workspace cannot be written");
      return;
    }
    InferenceSettings settings = InferenceSettings.of(List.of(ModelFile.of(Path.of(args[1]))));
    try (JobStore store = workspace.own().orElseThrow();
        Inference inference = Inference.open(settings)) {
      ServerBuilder builder = Server.builder(store).slots(inference.slots());
      inference.workers().forEach(builder::worker);
      try (Server server = builder.build()) {
        server.start();
        Flow flow = workspace.flow();
        flow.await(id, Duration.ofMinutes(10));
        flow.get(id).ifPresent(job -> System.out.println(job.result()));
      }
    }
  }
}
