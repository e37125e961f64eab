package dev.millrace.bench.model;

import dev.millrace.core.Flow;
import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.server.Server;
import dev.millrace.server.ServerBuilder;
import dev.millrace.server.ServerStatus;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.util.List;

/** The whole system: a workspace on disk, and a server with a model. */
public final class ServingSystem implements AutoCloseable {
  private final Work work;
  private final Flow flow;
  private final Inference inference;
  private final JobStore store;
  private final Server server;

  private ServingSystem(Workspace workspace, Inference inference, JobStore store) {
    this.work = workspace.work();
    this.flow = workspace.flow();
    this.inference = inference;
    this.store = store;
    ServerBuilder builder = Server.builder(store).slots(inference.slots());
    for (Worker worker : inference.workers()) {
      builder.worker(worker);
    }
    this.server = builder.build().start();
  }

  public static ServingSystem open(Path directory, Path model, EngineSettings settings) {
    Workspace workspace = Workspace.open(directory);
    Inference inference =
        Inference.open(
            InferenceSettings.of(List.of(new NamedModel("bench", model))).withEngine(settings));
    return new ServingSystem(workspace, inference, workspace.own().orElseThrow());
  }

  /** Submits a job of one prompt, which is durable when this returns. */
  public JobId submit(String prompt, Priority priority, JsonObject parameters) {
    StageSpec stage =
        StageSpec.builder("generate").tasks(List.of(TaskSpec.of(prompt))).data(parameters).build();
    JobSpec job = JobSpec.builder().priority(priority).stages(List.of(stage)).build();
    Work.SubmitResult result = work.submit(job);
    if (result.id() == null) {
      throw new IllegalStateException("refused: " + result.message());
    }
    return result.id();
  }

  public Flow flow() {
    return flow;
  }

  public ServerStatus status() {
    return server.status();
  }

  @Override
  public void close() {
    try (store;
        inference) {
      server.close();
    }
  }
}
