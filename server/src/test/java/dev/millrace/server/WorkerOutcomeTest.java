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

/** What becomes of what a worker returns or throws. */
class WorkerOutcomeTest {
  private final InMemoryServer mill = new InMemoryServer();

  @AfterEach
  void close() {
    mill.close();
  }

  @Test
  void textIsTheResult() throws InterruptedException {
    mill.start(Worker.of("shout", task -> task.text().toUpperCase(java.util.Locale.ROOT)));
    JobId job = mill.submit("shout", "hello");

    assertThat(mill.await(job).result()).isEqualTo("HELLO");
  }

  @Test
  void exceptionFailsTheAttemptWithItsMessage() throws InterruptedException {
    mill.start(
        Worker.of(
            "read",
            task -> {
              throw new IOException("no such page");
            }));
    JobId job = mill.submit("read", "x");

    assertThat(mill.await(job).error()).isEqualTo("no such page");
  }

  @Test
  void exceptionWithoutMessageIsNamed() throws InterruptedException {
    mill.start(
        Worker.of(
            "read",
            task -> {
              throw new IllegalStateException();
            }));
    JobId job = mill.submit("read", "x");

    assertThat(mill.await(job).error()).isEqualTo("java.lang.IllegalStateException");
  }

  @Test
  void errorFailsTheAttemptAndTheServerGoesOn() throws InterruptedException {
    mill.start(
        Worker.of(
            "deep",
            task -> {
              if (task.text().equals("bad")) {
                throw new StackOverflowError("too deep");
              }
              return "fine";
            }));
    JobId bad = mill.submit("deep", "bad");
    JobId good = mill.submit("deep", "good");

    assertThat(mill.await(bad).error()).isEqualTo("too deep");
    assertThat(mill.await(good).result()).isEqualTo("fine");
  }

  @Test
  void nullIsAFailure() throws InterruptedException {
    mill.start(Worker.ofOutcome("none", task -> null));
    JobId job = mill.submit("none", "x");

    assertThat(mill.await(job).error()).isEqualTo("the worker returned null");
  }

  @Test
  void failedAttemptsAreRetried() throws InterruptedException {
    mill.start(
        Worker.of(
            "flaky",
            task -> {
              if (task.attempt() < 3) {
                throw new IOException("attempt " + task.attempt());
              }
              return "attempt " + task.attempt();
            }));
    JobId job = mill.submit("flaky", InMemoryServer.attempts(3), "x");

    assertThat(mill.await(job).result()).isEqualTo("attempt 3");
  }

  @Test
  void permanentFailureForfeitsAttempts() throws InterruptedException {
    AtomicInteger calls = new AtomicInteger();
    mill.start(
        Worker.ofOutcome(
            "strict",
            task -> {
              calls.incrementAndGet();
              return new TaskOutcome.Failed(Failure.permanent("never"));
            }));
    JobId job = mill.submit("strict", InMemoryServer.attempts(5), "x");

    assertThat(mill.await(job).error()).isEqualTo("never");
    assertThat(calls).hasValue(1);
  }

  @Test
  void releaseCostsNoAttempt() throws InterruptedException {
    AtomicBoolean ready = new AtomicBoolean();
    mill.start(
        Worker.ofOutcome(
            "later",
            task ->
                ready.getAndSet(true)
                    ? TaskOutcome.done("attempt " + task.attempt())
                    : new TaskOutcome.Released("not yet")));
    JobId job = mill.submit("later", "x");

    assertThat(mill.await(job).result()).isEqualTo("attempt 1");
    assertThat(mill.task(job).attempts()).isZero();
  }

  @Test
  void workerSeesInputDataAndLogs() throws InterruptedException {
    mill.start(
        Worker.of(
            "sum",
            task -> {
              task.log("adding up");
              return task.data().string("unit") + task.input() + task.deadline();
            }));
    JsonObject data = JsonObject.create().put("unit", "m");
    JobId job =
        mill.submit(
            StageSpec.builder("sum")
                .policy(InMemoryServer.ONE_ATTEMPT)
                .tasks(List.of(TaskSpec.of(Map.of("n", 7L))))
                .data(data)
                .build());

    assertThat(mill.await(job).result()).isEqualTo("m{n=7}Optional.empty");
    assertThat(mill.lines(job)).containsExactly("adding up");
  }

  @Test
  void platformThreadsOnRequest() throws InterruptedException {
    Worker kind = Worker.of("kind", task -> String.valueOf(Thread.currentThread().isVirtual()));
    mill.start(kind, Worker.ofOutcome("cpu", kind::work).onPlatformThreads());
    JobId virtual = mill.submit("kind", "x");
    JobId platform = mill.submit("cpu", "x");

    assertThat(mill.await(virtual).result()).isEqualTo("true");
    assertThat(mill.await(platform).result()).isEqualTo("false");
  }

  @Test
  void stagesFollowEachOther() throws InterruptedException {
    mill.start(Worker.of("first", task -> task.text() + "1"), Worker.of("second", task -> "done"));
    JobId job =
        mill.submit(
            StageSpec.of("first", List.of(TaskSpec.of("a"), TaskSpec.of("b"))),
            StageSpec.of("second", List.of(TaskSpec.of("c"))));

    assertThat(mill.await(job).status()).isEqualTo(Status.DONE);
    assertThat(mill.task(job).state()).isEqualTo(TaskState.COMPLETED);
  }
}
