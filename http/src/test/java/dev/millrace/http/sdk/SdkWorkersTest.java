package dev.millrace.http.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.ApiTask;
import dev.millrace.api.ClaimedTask;
import dev.millrace.api.LogLine;
import dev.millrace.api.NewJob;
import dev.millrace.api.NewStage;
import dev.millrace.api.NewTask;
import dev.millrace.api.StageSummary;
import dev.millrace.api.TaskStatusUpdate;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.StagesApi;
import dev.millrace.client.worker.TaskHandler;
import dev.millrace.client.worker.Worker;
import dev.millrace.client.worker.WorkerEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TraceContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Workers of the SDK against a real server. */
@Tag("slow")
class SdkWorkersTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final SdkTestServer server = new SdkTestServer();
  private final MillraceClient client = server.client;
  private final List<Worker> workers = new ArrayList<>();

  @AfterEach
  void close() {
    workers.forEach(worker -> worker.stop(Duration.ofMillis(1)));
    server.close();
  }

  private Worker start(String name, int concurrency, TaskHandler handler) {
    Worker worker =
        Worker.builder(client, "resize", handler)
            .name(name)
            .concurrency(concurrency)
            .heartbeat(Duration.ofMillis(50))
            .longPoll(Duration.ofSeconds(1))
            .build();
    workers.add(worker);
    return worker.start();
  }

  private ApiStage stage(int tasks, int attempts) {
    ApiJob job = client.jobs().create(NewJob.of("work"));
    TaskPolicy policy = new TaskPolicy(attempts, TaskPolicy.DEFAULT.backoff(), null, null, 3);
    ApiStage stage = client.jobs().addStage(job.id(), NewStage.of("resize").policy(policy));
    List<NewTask> given = new ArrayList<>();
    for (int i = 1; i <= tasks; i++) {
      given.add(NewTask.of(JsonObject.create().put("n", i)));
    }
    client.stages().addTasks(stage.id(), given);
    return stage;
  }

  private void awaitJob(ApiStage stage, JobState state) {
    await().atMost(LONG).until(() -> client.jobs().get(stage.jobId()).status() == state);
  }

  @Test
  void noTaskRunsTwiceWithAHundredWorkers() {
    ApiStage stage = stage(2_000, 1);
    Map<UUID, String> doneBy = new ConcurrentHashMap<>();
    Queue<UUID> twice = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 100; i++) {
      String name = "w-" + i;
      start(
          name,
          1,
          task -> {
            if (doneBy.putIfAbsent(task.task().id(), name) != null) {
              twice.add(task.task().id());
            }
            return task.data().integer("n") * 2;
          });
    }
    awaitJob(stage, JobState.COMPLETED);

    assertThat(twice).isEmpty();
    assertThat(doneBy).hasSize(2_000);
    StageSummary summary = client.stages().summary(stage.id());
    assertThat(summary.completed()).isEqualTo(2_000);
    assertThat(client.stages().tasks(stage.id()))
        .allSatisfy(
            task ->
                assertThat(task.result()).isEqualTo(Long.toString(task.data().integer("n") * 2)))
        .allSatisfy(task -> assertThat(task.worker()).isEqualTo(doneBy.get(task.id())));
  }

  @Test
  void taskOfADeadWorkerGoesToAnother() {
    ApiStage stage = stage(1, 1);
    ClaimedTask dead =
        client
            .stages()
            .dequeue(
                new StagesApi.DequeueRequest(
                    "resize", "dead", Duration.ofSeconds(60), 1, Duration.ZERO))
            .getFirst();
    start("alive", 1, task -> "by the other");
    server.clock.advance(Duration.ofSeconds(61));
    server.store.sweep();

    awaitJob(stage, JobState.COMPLETED);
    ApiTask task = client.tasks().get(dead.id());
    assertThat(task.result()).isEqualTo("by the other");
    assertThat(task.worker()).isEqualTo("alive");
    assertThatThrownBy(
            () ->
                client
                    .tasks()
                    .updateStatus(dead.id(), dead.token(), TaskStatusUpdate.completed("late")))
        .hasMessageContaining("409 TASK_STATUS_UPDATE_FAILED");
  }

  @Test
  void heartbeatsKeepTheClaimOfALongTask() {
    ApiStage stage = stage(1, 1);
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    start(
        "slow",
        1,
        task -> {
          running.countDown();
          go.await();
          return "done";
        });
    await().atMost(LONG).until(() -> running.getCount() == 0);
    for (int i = 0; i < 5; i++) {
      long heartbeats = heartbeats();
      await().atMost(LONG).until(() -> heartbeats() > heartbeats + 1);
      server.clock.advance(Duration.ofSeconds(50));
      server.store.sweep();
    }
    go.countDown();
    awaitJob(stage, JobState.COMPLETED);
    assertThat(client.stages().tasks(stage.id()).findFirst().orElseThrow().attempts()).isZero();
  }

  private long heartbeats() {
    return server.accesses().stream()
        .filter(line -> line.string("path").endsWith("/heartbeat"))
        .count();
  }

  @Test
  void abortReachesTheHandler() {
    ApiStage stage = stage(1, 1);
    CountDownLatch running = new CountDownLatch(1);
    AtomicBoolean cancelled = new AtomicBoolean();
    start(
        "cancelled",
        1,
        task -> {
          task.onCancel(() -> cancelled.set(true));
          running.countDown();
          new CountDownLatch(1).await();
          return "never";
        });
    await().atMost(LONG).until(() -> running.getCount() == 0);
    client.jobs().abort(stage.jobId());

    await().atMost(LONG).untilTrue(cancelled);
    await().atMost(LONG).until(() -> workers.getFirst().active() == 0);
    assertThat(client.stages().tasks(stage.id()).findFirst().orElseThrow().status())
        .isEqualTo(TaskState.ABORTED);
  }

  @Test
  void handlerSeesAPauseAndItsResultCounts() {
    ApiStage stage = stage(1, 1);
    CountDownLatch running = new CountDownLatch(1);
    start(
        "paused",
        1,
        task -> {
          running.countDown();
          await().atMost(LONG).until(task::paused);
          return "done";
        });
    await().atMost(LONG).until(() -> running.getCount() == 0);
    client.jobs().pause(stage.jobId());

    await().atMost(LONG).until(() -> client.stages().summary(stage.id()).completed() == 1);
    client.jobs().resume(stage.jobId());
    awaitJob(stage, JobState.COMPLETED);
  }

  @Test
  void failedAttemptIsRetriedAndItsLogIsKept() {
    ApiStage stage = stage(1, 2);
    start(
        "flaky",
        1,
        task -> {
          task.info("attempt " + task.attempt());
          if (task.attempt() == 1) {
            throw new IllegalStateException("no ink");
          }
          return "printed";
        });
    await().atMost(LONG).until(() -> client.stages().summary(stage.id()).retried() == 1);
    assertThat(client.stages().tasks(stage.id()).findFirst().orElseThrow().error())
        .isEqualTo("IllegalStateException: no ink");
    server.clock.advance(Duration.ofMinutes(10));
    awaitJob(stage, JobState.COMPLETED);
    assertThat(client.so1().logs(stage.jobId()))
        .extracting(LogLine::line)
        .anyMatch(line -> line.contains("attempt 1"))
        .anyMatch(line -> line.contains("attempt 2"));
  }

  @Test
  void stoppedWorkerReleasesItsTaskWithoutCostingAnAttempt() {
    ApiStage stage = stage(1, 1);
    CountDownLatch running = new CountDownLatch(1);
    Worker first =
        start(
            "stopped",
            1,
            task -> {
              running.countDown();
              new CountDownLatch(1).await();
              return "never";
            });
    await().atMost(LONG).until(() -> running.getCount() == 0);
    first.stop(Duration.ofMillis(10));
    start("next", 1, task -> task.attempt());

    awaitJob(stage, JobState.COMPLETED);
    ApiTask task = client.stages().tasks(stage.id()).findFirst().orElseThrow();
    assertThat(task.attempts()).isZero();
    assertThat(task.worker()).isEqualTo("next");
  }

  @Test
  void jobsOfAHandlerBelongToTheTraceOfTheTask() {
    String parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    ApiJob job = client.jobs().create(NewJob.of("traced").trace(new TraceContext(parent, null)));
    ApiStage stage = client.jobs().addStage(job.id(), NewStage.of("resize"));
    client.stages().addTasks(stage.id(), List.of(NewTask.of(JsonObject.create())));
    start("tracer", 1, task -> task.client().jobs().create(NewJob.of("child")).id().toString());

    awaitJob(stage, JobState.COMPLETED);
    String child = client.stages().tasks(stage.id()).findFirst().orElseThrow().result();
    TraceContext trace = client.jobs().get(UUID.fromString(String.valueOf(child))).trace();
    assertThat(trace).isNotNull();
    assertThat(trace.parent().substring(0, 35)).isEqualTo(parent.substring(0, 35));
  }

  @Test
  void eventsOfAWorkerComeInOrder() {
    ApiStage stage = stage(1, 1);
    Queue<WorkerEvent> events = new ConcurrentLinkedQueue<>();
    Worker worker =
        Worker.builder(client, "resize", task -> "done")
            .longPoll(Duration.ZERO)
            .listener(events::add)
            .build();
    worker.start();
    awaitJob(stage, JobState.COMPLETED);
    await()
        .atMost(LONG)
        .until(() -> events.stream().anyMatch(WorkerEvent.QueueEmpty.class::isInstance));
    worker.close();

    assertThat(events)
        .extracting(event -> event.getClass().getSimpleName())
        .containsSubsequence("Started", "TaskStarted", "TaskCompleted", "Stopping", "Stopped")
        .endsWith("Stopped");
  }
}
