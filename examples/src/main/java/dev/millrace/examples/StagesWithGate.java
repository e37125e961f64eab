package dev.millrace.examples;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.util.List;

/**
 * Two stages with a gate between them: three tasks, a person's approval, one task for each result.
 */
public final class StagesWithGate {
  private StagesWithGate() {}

  /** Runs the pipeline in the workspace that the first argument names, and prints its log. */
  public static void main(String[] args) throws InterruptedException {
    Workspace workspace = Workspace.open(Path.of(args[0]));
    StageSpec measure =
        StageSpec.of(
            "measure", List.of(TaskSpec.of("oak"), TaskSpec.of("ash"), TaskSpec.of("willow")));
    StageSpec report =
        StageSpec.builder("report").gate(true).each("{{input}} has {{result}} letters").build();

    try (JobStore store = workspace.own().orElseThrow();
        Server server =
            Server.builder(store)
                .worker(Worker.of("measure", task -> Integer.toString(task.text().length())))
                .worker(Worker.of("report", task -> task.text() + "."))
                .build()) {
      JobId id = store.submit(JobSpec.of(List.of(measure, report)));
      server.start();
      while (!store.approve(id, 2, Cause.user("example", "looks right")).isDone()) {
        store.awaitChange(id, java.time.Duration.ofSeconds(10));
      }
      workspace.flow().follow(id, 0, entry -> System.out.println(LogEntryJson.write(entry)));
      store.tasks(id, 2, 1, 10).forEach(task -> System.out.println(task.result()));
    }
  }
}
