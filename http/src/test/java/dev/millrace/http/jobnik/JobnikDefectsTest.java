package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cases that the public code of Jobnik gets wrong or does not handle. */
class JobnikDefectsTest {
  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void abortEndsStagesAndTasksAtOnce() {
    String job = api.job();
    String running = api.stage(job, "a");
    List<String> tasks = api.tasks(running, 3);
    String later = api.stage(job, "b");
    api.tasks(later, 1);
    api.complete(api.dequeue("a").object());
    api.dequeue("a");
    api.put("/v1/jobs/" + job + "/status", "{'status':'ABORTED'}");
    assertThat(api.status("/v1/stages/" + running)).isEqualTo("ABORTED");
    assertThat(api.status("/v1/stages/" + later)).isEqualTo("ABORTED");
    assertThat(tasks)
        .extracting(task -> api.status("/v1/tasks/" + task))
        .containsExactly("COMPLETED", "ABORTED", "ABORTED");
    assertThat(api.get("/v1/stages/" + running + "/summary").object().integer("aborted"))
        .isEqualTo(2);
    assertThat(api.dequeue("a").brief()).isEqualTo("404 TASK_NOT_FOUND");
  }

  @Test
  void lastTaskOfAPausedJobCanBeFinished() {
    String job = api.job();
    api.tasks(api.stage(job, "a"), 1);
    JsonObject task = api.dequeue("a").object();
    api.put("/v1/jobs/" + job + "/status", "{'status':'PAUSED'}");
    ApiReply got = api.complete(task);
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.string("status")).isEqualTo("COMPLETED");
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("PAUSED");
    api.put("/v1/jobs/" + job + "/status", "{'status':'PENDING'}");
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("COMPLETED");
  }

  @Test
  void lastTaskOfAPausedJobCanFail() {
    String job = api.job();
    String stage = api.stage(job, "a");
    List<String> tasks = api.tasks(stage, 2);
    JsonObject task = api.dequeue("a").object();
    api.put("/v1/jobs/" + job + "/status", "{'status':'PAUSED'}");
    assertThat(api.fail(task, "no").string("status")).isEqualTo("FAILED");
    assertThat(api.status("/v1/stages/" + stage)).isEqualTo("FAILED");
    assertThat(api.status("/v1/tasks/" + tasks.getLast()))
        .as("nothing will run it")
        .isEqualTo("ABORTED");
    api.put("/v1/jobs/" + job + "/status", "{'status':'PENDING'}");
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("FAILED");
  }

  @Test
  void pausedJobHandsOutNothing() {
    String job = api.job();
    api.tasks(api.stage(job, "a"), 1);
    api.put("/v1/jobs/" + job + "/status", "{'status':'PAUSED'}");
    assertThat(api.dequeue("a").brief()).isEqualTo("404 TASK_NOT_FOUND");
    api.put("/v1/jobs/" + job + "/status", "{'status':'PENDING'}");
    assertThat(api.dequeue("a").status()).isEqualTo(200);
  }

  @Test
  void emptyStageThatIsClosedCompletes() {
    String job = api.job();
    String empty = api.stage(job, "a");
    assertThat(api.status("/v1/stages/" + empty)).isEqualTo("PENDING");
    String last = api.stage(job, "b");
    ApiReply closed = api.post("/v1/stages/" + empty + "/tasks", "[]");
    assertThat(closed.status()).isEqualTo(201);
    assertThat(closed.list()).isEmpty();
    JsonObject stage = api.get("/v1/stages/" + empty).object();
    assertThat(stage.string("status")).isEqualTo("COMPLETED");
    assertThat(stage.integer("percentage")).isEqualTo(100);
    assertThat(api.status("/v1/stages/" + last)).isEqualTo("PENDING");
    api.post("/v1/stages/" + last + "/tasks", "[]");
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("COMPLETED");
  }

  @Test
  void stagesAddedConcurrentlyGetDifferentOrders() throws Exception {
    String job = api.job();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<ApiReply>> added = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        added.add(
            threads.submit(() -> api.post("/v1/jobs/" + job + "/stage", "{'type':'t','data':{}}")));
      }
      List<Long> orders = new ArrayList<>();
      for (Future<ApiReply> one : added) {
        orders.add(one.get().object().integer("order"));
      }
      assertThat(orders)
          .containsExactlyInAnyOrderElementsOf(
              IntStream.rangeClosed(1, 40).mapToObj(Long::valueOf).toList());
    }
  }

  @Test
  void tasksOfOnePriorityAreFirstInFirstOut() {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      expected.addAll(api.tasks(api.stage(api.job(), "a"), 2));
      api.clock.advance(Duration.ofSeconds(1));
    }
    String urgent = api.job("{'name':'now','data':{},'priority':'VERY_HIGH'}");
    expected.addAll(0, api.tasks(api.stage(urgent, "a"), 2));
    List<String> taken = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      taken.add(api.dequeue("a").id());
    }
    assertThat(taken).isEqualTo(expected);
  }

  @Test
  void newPriorityCountsFromTheNextDequeue() {
    String first = api.job();
    String second = api.job();
    api.tasks(api.stage(first, "a"), 1);
    String wanted = api.tasks(api.stage(second, "a"), 1).getFirst();
    api.patch("/v1/jobs/" + second + "/priority", "{'priority':'HIGH'}");
    assertThat(api.dequeue("a").id()).isEqualTo(wanted);
  }

  @Test
  void stageCanTolerateFailures() {
    String job = api.job();
    String stage =
        api.post(
                "/v1/jobs/" + job + "/stage",
                "{'type':'a','data':{},'collect':true,'tolerate':0.5}")
            .id();
    api.tasks(stage, 2);
    api.fail(api.dequeue("a").object(), "no");
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("IN_PROGRESS");
    api.complete(api.dequeue("a").object());
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("COMPLETED");
  }

  @Test
  void fiftyWorkersNeverGetOneTaskTwice() throws Exception {
    int count = 200;
    String job = api.job();
    List<String> tasks = api.tasks(api.stage(job, "a"), count);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<List<String>>> workers = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        String name = "worker" + i;
        String query = i % 3 == 0 ? "?limit=3" : i % 3 == 1 ? "?limit=1&wait=1" : "?limit=1";
        workers.add(threads.submit(() -> work(name, query)));
      }
      List<String> taken = new ArrayList<>();
      for (Future<List<String>> worker : workers) {
        taken.addAll(worker.get());
      }
      assertThat(taken).containsExactlyInAnyOrderElementsOf(tasks);
    }
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("COMPLETED");
  }

  private List<String> work(String name, String query) {
    List<String> taken = new ArrayList<>();
    while (true) {
      List<JsonObject> tasks = api.dequeue("a", name, query).list();
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
