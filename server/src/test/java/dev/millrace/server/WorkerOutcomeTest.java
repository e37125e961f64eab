package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskState;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the return values and exceptions of workers lead to. */
class WorkerOutcomeTest {
  private final InMemoryServer inMemory = new InMemoryServer();

  @AfterEach
  void close() {
    inMemory.close();
  }

  @Test
  void textIsTheResult() throws InterruptedException {
    inMemory.start(Worker.of("shout", task -> task.text().toUpperCase(java.util.Locale.ROOT)));
    JobId job = inMemory.submit("shout", "hello");

    assertThat(inMemory.await(job).result()).isEqualTo("HELLO");
  }

  @Test
  void exceptionFailsTheAttemptWithItsMessage() throws InterruptedException {
    inMemory.start(
        Worker.of(
            "read",
            task -> {
              throw new IOException("no such page");
            }));
    JobId job = inMemory.submit("read", "x");

    assertThat(inMemory.await(job).error()).isEqualTo("no such page");
  }

  @Test
  void exceptionWithoutMessageIsNamed() throws InterruptedException {
    inMemory.start(
        Worker.of(
            "read",
            task -> {
              throw new IllegalStateException();
            }));
    JobId job = inMemory.submit("read", "x");

    assertThat(inMemory.await(job).error()).isEqualTo("java.lang.IllegalStateException");
  }

  @Test
  void anErrorFailsTheAttemptAndTheServerRunsOn() throws InterruptedException {
    inMemory.start(
        Worker.of(
            "deep",
            task -> {
              if (task.text().equals("bad")) {
                throw new StackOverflowError("too deep");
              }
              return "fine";
            }));
    JobId bad = inMemory.submit("deep", "bad");
    JobId good = inMemory.submit("deep", "good");

    assertThat(inMemory.await(bad).error()).isEqualTo("too deep");
    assertThat(inMemory.await(good).result()).isEqualTo("fine");
  }

  @Test
  void nullIsAFailure() throws InterruptedException {
    inMemory.start(Worker.ofOutcome("none", task -> null));
    JobId job = inMemory.submit("none", "x");

    assertThat(inMemory.await(job).error()).isEqualTo("the worker returned null");
  }

  @Test
  void failedAttemptsAreRetried() throws InterruptedException {
    inMemory.start(
        Worker.of(
            "flaky",
            task -> {
              if (task.attempt() < 3) {
                throw new IOException("attempt " + task.attempt());
              }
              return "attempt " + task.attempt();
            }));
    JobId job = inMemory.submit("flaky", InMemoryServer.attempts(3), "x");

    assertThat(inMemory.await(job).result()).isEqualTo("attempt 3");
  }

  @Test
  void permanentFailureForfeitsAttempts() throws InterruptedException {
    AtomicInteger calls = new AtomicInteger();
    inMemory.start(
        Worker.ofOutcome(
            "strict",
            task -> {
              calls.incrementAndGet();
              return new TaskOutcome.Failed(Failure.permanent("never"));
            }));
    JobId job = inMemory.submit("strict", InMemoryServer.attempts(5), "x");

    assertThat(inMemory.await(job).error()).isEqualTo("never");
    assertThat(calls).hasValue(1);
  }

  @Test
  void releaseCostsNoAttempt() throws InterruptedException {
    AtomicBoolean ready = new AtomicBoolean();
    inMemory.start(
        Worker.ofOutcome(
            "later",
            task ->
                ready.getAndSet(true)
                    ? TaskOutcome.done("attempt " + task.attempt())
                    : new TaskOutcome.Released("not yet")));
    JobId job = inMemory.submit("later", "x");

    assertThat(inMemory.await(job).result()).isEqualTo("attempt 1");
    assertThat(inMemory.task(job).attempts()).isZero();
  }

  @Test
  void workerSeesInputDataAndLogs() throws InterruptedException {
    inMemory.start(
        Worker.of(
            "sum",
            task -> {
              task.log("adding up");
              return task.data().string("unit") + task.input() + task.deadline();
            }));
    JsonObject data = JsonObject.create().put("unit", "m");
    JobId job =
        inMemory.submit(
            StageSpec.builder("sum")
                .policy(InMemoryServer.ONE_ATTEMPT)
                .tasks(List.of(TaskSpec.of(Map.of("n", 7L))))
                .data(data)
                .build());

    assertThat(inMemory.await(job).result()).isEqualTo("m{n=7}Optional.empty");
    assertThat(inMemory.lines(job)).containsExactly("adding up");
  }

  @Test
  void platformThreadsOnRequest() throws InterruptedException {
    Worker kind = Worker.of("kind", task -> String.valueOf(Thread.currentThread().isVirtual()));
    inMemory.start(kind, Worker.ofOutcome("cpu", kind::work).onPlatformThreads());
    JobId virtual = inMemory.submit("kind", "x");
    JobId platform = inMemory.submit("cpu", "x");

    assertThat(inMemory.await(virtual).result()).isEqualTo("true");
    assertThat(inMemory.await(platform).result()).isEqualTo("false");
  }

  @Test
  void stagesFollowEachOther() throws InterruptedException {
    inMemory.start(
        Worker.of("first", task -> task.text() + "1"), Worker.of("second", task -> "done"));
    JobId job =
        inMemory.submit(
            StageSpec.of("first", List.of(TaskSpec.of("a"), TaskSpec.of("b"))),
            StageSpec.of("second", List.of(TaskSpec.of("c"))));

    assertThat(inMemory.await(job).status()).isEqualTo(Status.DONE);
    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.COMPLETED);
  }
}
