package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Jobnik API on a workspace, across restarts of the server. */
class WorkspaceRestartTest {
  @TempDir Path dir;

  private JobnikTestServer open() {
    return new JobnikTestServer(Workspace.open(dir).own().orElseThrow());
  }

  @Test
  void workersContinueAfterARestart() {
    String job;
    JsonObject tokenless;
    JsonObject named;
    try (JobnikTestServer api = open()) {
      job = api.job("{'name':'work','data':{'j':1},'userMetadata':{'a':1}}");
      api.tasks(api.stage(job, "t"), 3, ",'userMetadata':{'b':2},'maxAttempts':2");
      tokenless = api.dequeue("t").object();
      named = api.dequeue("t", "bob", "?lease=600").object();
      api.patch("/v1/jobs/" + job + "/user-metadata", "{'a':2}");
    }
    try (JobnikTestServer api = open()) {
      assertThat(api.get("/v1/jobs/" + job).object().object("userMetadata").integer("a"))
          .isEqualTo(2);
      assertThat(
              api.put(
                      "/v1/tasks/" + named.string("id") + "/heartbeat",
                      "{'token':'" + named.string("token") + "'}")
                  .object()
                  .integer("leaseSeconds"))
          .isEqualTo(600);
      assertThat(api.report(tokenless, "COMPLETED", ",'result':'one'").string("result"))
          .isEqualTo("one");
      assertThat(api.complete(named).status()).isEqualTo(200);
      JsonObject last = api.dequeue("t", "eve", "").object();
      assertThat(last.object("jobData").integer("j")).isEqualTo(1);
      assertThat(last.object("userMetadata").integer("b")).isEqualTo(2);
      assertThat(last.integer("maxAttempts")).isEqualTo(2);
      api.complete(last);
      assertThat(api.status("/v1/jobs/" + job)).isEqualTo("COMPLETED");
    }
    try (JobnikTestServer api = open()) {
      assertThat(api.complete(named).status()).isEqualTo(200); // a repeated report
      assertThat(api.get("/v1/tasks/" + tokenless.string("id")).string("result")).isEqualTo("one");
      assertThat(api.delete("/v1/jobs/" + job).status()).isEqualTo(200);
      assertThat(api.get("/v1/jobs").list()).isEmpty();
    }
  }

  @Test
  void manyWorkersShareAStage() throws Exception {
    try (JobnikTestServer api = open();
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      String job = api.job();
      List<String> tasks = api.tasks(api.stage(job, "a"), 150);
      List<Future<List<String>>> workers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String name = "worker" + i;
        workers.add(threads.submit(() -> work(api, name)));
      }
      List<String> taken = new ArrayList<>();
      for (Future<List<String>> worker : workers) {
        taken.addAll(worker.get());
      }
      assertThat(taken).containsExactlyInAnyOrderElementsOf(tasks);
      assertThat(api.status("/v1/jobs/" + job)).isEqualTo("COMPLETED");
    }
  }

  private static List<String> work(JobnikTestServer api, String name) {
    List<String> taken = new ArrayList<>();
    while (true) {
      List<JsonObject> tasks = api.dequeue("a", name, "?limit=2&wait=1").list();
      if (tasks.isEmpty()) {
        return taken;
      }
      for (JsonObject task : tasks) {
        assertThat(api.complete(task).status()).isEqualTo(200);
        taken.add(task.string("id"));
      }
    }
  }
}
