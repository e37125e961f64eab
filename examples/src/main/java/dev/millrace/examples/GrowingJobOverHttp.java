package dev.millrace.examples;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.ApiTask;
import dev.millrace.api.NewJob;
import dev.millrace.api.NewStage;
import dev.millrace.api.NewTask;
import dev.millrace.api.SseEvent;
import dev.millrace.client.JobEventStream;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.worker.Worker;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.Server;
import dev.millrace.store.fs.Workspace;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** A job that grows over HTTP: stages, tasks, a gate that is approved, events that are followed. */
public final class GrowingJobOverHttp {
  private GrowingJobOverHttp() {}

  /** Serves the workspace that the first argument names, and runs a job through its API. */
  public static void main(String[] args) {
    try (JobStore store = Workspace.open(Path.of(args[0])).own().orElseThrow();
        HttpApi api = HttpApi.over(store, HttpSettings.loopback(0), null);
        Server server = Server.builder(store).build()) {
      server.start();
      run(api.open(server, Set.of(), null));
    }
  }

  private static void run(URI address) {
    try (MillraceClient client = MillraceClient.at(address);
        Worker measure = Worker.of(client, "measure", task -> task.data().string("tree").length());
        Worker report =
            Worker.of(client, "report", task -> "the report for " + task.data().string("reader"))) {
      ApiJob job = client.jobs().create(NewJob.of("forest").priority(Priority.HIGH));
      ApiStage first = client.jobs().addStage(job.id(), NewStage.of("measure"));
      ApiStage gated = client.jobs().addStage(job.id(), NewStage.of("report").waiting());
      client
          .stages()
          .addTasks(
              first.id(),
              Stream.of("oak", "ash", "willow")
                  .map(tree -> NewTask.of(JsonObject.create().put("tree", tree)))
                  .toList());
      client
          .stages()
          .addTasks(
              gated.id(), List.of(NewTask.of(JsonObject.create().put("reader", "the forester"))));
      measure.start();
      report.start();
      follow(client, job.id(), first.id(), gated.id());
      Stream.of(first, gated)
          .flatMap(stage -> client.stages().tasks(stage.id()))
          .map(ApiTask::result)
          .forEach(System.out::println);
    }
  }

  /** Prints what happens to the job, and approves the gate once the stage before it is done. */
  private static void follow(MillraceClient client, UUID job, UUID first, UUID gated) {
    boolean approved = false;
    try (JobEventStream events = client.so1().events(job, 0L)) {
      while (events.hasNext()) {
        SseEvent event = events.next();
        System.out.println(event.line().orElseGet(() -> "now " + event.state().orElseThrow()));
        if (!approved && client.stages().get(first).status() == StageState.COMPLETED) {
          client.stages().approve(gated);
          approved = true;
        }
      }
    }
  }
}
