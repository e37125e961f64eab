package dev.millrace.examples;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiTask;
import dev.millrace.client.JobEventStream;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.worker.PermanentFailure;
import dev.millrace.client.worker.TaskContext;
import dev.millrace.client.worker.Worker;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.Server;
import dev.millrace.store.fs.Workspace;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/** A worker that claims its tasks over HTTP, as one on another machine would. */
public final class RemoteWorker {
  private RemoteWorker() {}

  /** Serves the workspace that the first argument names, and works on a job in it from outside. */
  public static void main(String[] args) {
    try (JobStore store = Workspace.open(Path.of(args[0])).own().orElseThrow();
        HttpApi api = HttpApi.over(store, HttpSettings.loopback(0), null);
        Server server = Server.builder(store).build()) {
      server.start();
      work(api.open(server, Set.of(), null));
    }
  }

  private static void work(URI address) {
    try (MillraceClient client = MillraceClient.at(address);
        Worker worker =
            Worker.builder(client, "resize", RemoteWorker::resize)
                .concurrency(2)
                .lease(Duration.ofSeconds(30))
                .build()) {
      ApiJob job = client.jobs().submit(pictures(), null);
      worker.start();
      try (JobEventStream events = client.so1().events(job.id(), 0L)) {
        events.forEachRemaining(event -> event.line().ifPresent(System.out::println));
      }
      client
          .stages()
          .tasks(job.stages().getFirst().id())
          .map(ApiTask::result)
          .forEach(System.out::println);
    }
  }

  /** Halves a picture; really only its numbers. */
  private static Object resize(TaskContext task) throws InterruptedException {
    long width = task.data().integer("width");
    if (width < 1) {
      throw new PermanentFailure("a picture is at least 1 wide, not " + width);
    }
    long shrunk = width;
    while (shrunk > task.stageData().integer("most")) {
      task.checkCancelled(); // somebody may have aborted the job
      shrunk /= 2;
      task.progress();
    }
    task.info("from " + width + " to " + shrunk);
    return JsonObject.create().put("width", shrunk);
  }

  private static JsonObject pictures() {
    return Json.object(
        """
        {"name": "album",
         "stages": [
           {"type": "resize", "maxAttempts": 3, "data": {"most": 800},
            "tasks": [{"input": {"width": 4000}}, {"input": {"width": 640}},
                      {"input": {"width": 1600}}]}]}
        """);
  }
}
