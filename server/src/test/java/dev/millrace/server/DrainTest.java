package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Draining: a server runs until no task is left. */
class DrainTest {
  private final InMemoryServer inMemory = new InMemoryServer();

  @AfterEach
  void close() {
    inMemory.close();
  }

  private static String failFirst(TaskContext task) throws IOException {
    if (task.attempt() == 1) {
      throw new IOException("first attempt");
    }
    return "second attempt";
  }

  @Test
  void runsAllStagesAndStops() throws InterruptedException {
    JobId job =
        inMemory.submit(
            StageSpec.of("a", List.of(TaskSpec.of("1"), TaskSpec.of("2"))),
            StageSpec.of("b", List.of(TaskSpec.of("3"))));
    Server server =
        inMemory.keep(inMemory.builder(Worker.of("a", t -> "x"), Worker.of("b", t -> "y")).build());

    assertThat(server.drain()).isEqualTo(DrainResult.CLEAN);
    assertThat(inMemory.flow.status(job)).isEqualTo(Status.DONE);
    assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
  }

  @Test
  void reportsThatAJobFailed() throws InterruptedException {
    inMemory.submit("a", "x");
    Server server = inMemory.keep(inMemory.builder(Worker.of("a", DrainTest::failFirst)).build());

    assertThat(server.drain()).isEqualTo(DrainResult.WITH_FAILURES);
  }

  @Test
  void failuresOfEarlierRunsAreNotNew() throws InterruptedException {
    JobId old = inMemory.submit("a", "x");
    inMemory.keep(inMemory.builder(Worker.of("a", DrainTest::failFirst)).build()).drain();
    assertThat(inMemory.flow.status(old)).isEqualTo(Status.FAILED);
    inMemory.submit("a", "y");

    Server server = inMemory.keep(inMemory.builder(Worker.of("a", t -> "fine")).build());
    assertThat(server.drain()).isEqualTo(DrainResult.CLEAN);
  }

  @Test
  void waitsForBackoffsAndIgnoresRetriedFailures() throws InterruptedException {
    Duration wait = Duration.ofMillis(200);
    JobId job =
        inMemory.submit(
            "a", new TaskPolicy(2, new Backoff(wait, 1.0, wait, 0.0), null, null, 3), "x");
    Server server = inMemory.keep(inMemory.builder(Worker.of("a", DrainTest::failFirst)).build());

    assertThat(server.drain()).isEqualTo(DrainResult.CLEAN);
    assertThat(inMemory.flow.get(job).orElseThrow().result()).isEqualTo("second attempt");
  }

  @Test
  void doesNotWaitForTypesOfOthers() throws InterruptedException {
    JobId other = inMemory.submit("other", "x");
    Server server = inMemory.keep(inMemory.builder(Worker.of("a", t -> "")).build());

    assertThat(server.drain()).isEqualTo(DrainResult.CLEAN);
    assertThat(inMemory.flow.status(other)).isEqualTo(Status.QUEUED);
  }

  @Test
  void aFailureCausedByTheSweepIsReported() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    inMemory.submit("a", InMemoryServer.runTimeout(Duration.ofMillis(50)), "x");
    Server server =
        inMemory.keep(
            inMemory
                .builder(
                    Worker.of(
                        "a",
                        task -> {
                          never.await();
                          return "";
                        }))
                .build());

    assertThat(server.drain()).isEqualTo(DrainResult.WITH_FAILURES);
  }

  @Test
  void aStoppedDrainReportsInterruption() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Worker worker =
        Worker.of(
            "a",
            task -> {
              started.countDown();
              go.await();
              return "";
            });
    inMemory.submit("a", "1", "2", "3");
    Server server = inMemory.keep(inMemory.builder(worker).slots(1).build());
    CompletableFuture<DrainResult> drained =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return server.drain();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    server.stopNow();

    assertThat(drained.get(30, TimeUnit.SECONDS)).isEqualTo(DrainResult.INTERRUPTED);
  }
}
