package dev.millrace.server.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.ResumableWorker;
import dev.millrace.server.Server;
import dev.millrace.server.ServerState;
import dev.millrace.server.StoreInterceptor;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that fails for a while, and one that is broken. */
@Tag("slow")
class StoreRetryTest {

  /** Fails calls of those names while it is full; each failure is a permit of {@link #failed}. */
  private static final class FullDisk implements StoreInterceptor {
    final Set<String> names;
    final Semaphore failed = new Semaphore(0);
    final AtomicInteger claims = new AtomicInteger();
    volatile boolean full = true;

    FullDisk(String... names) {
      this.names = Set.of(names);
    }

    @Override
    public Object intercept(Call call) throws Throwable {
      if (full && names.contains(call.name())) {
        failed.release();
        throw new StoreException("no space left on device");
      }
      if (call.name().equals("claim")) {
        claims.incrementAndGet();
      }
      return call.proceed();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"complete", "fail", "release"})
  void anOutcomeIsKeptUntilTheDiskHasSpace(String verb) throws InterruptedException {
    FullDisk disk = new FullDisk(verb);
    AtomicInteger runs = new AtomicInteger();
    Worker worker =
        Worker.ofOutcome(
            "work",
            task -> {
              if (runs.incrementAndGet() > 1) {
                return TaskOutcome.done("second run");
              }
              return switch (verb) {
                case "complete" -> TaskOutcome.done("first run");
                case "fail" -> TaskOutcome.failed("first run");
                default -> new TaskOutcome.Released("first run");
              };
            });
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(disk))) {
      inMemory.start(worker);
      JobId job = inMemory.submit("work", InMemoryServer.attempts(2), "x");
      assertThat(disk.failed.tryAcquire(3, 30, TimeUnit.SECONDS)).isTrue();
      assertThat(inMemory.task(job).state()).isEqualTo(TaskState.IN_PROGRESS);
      assertThat(runs).hasValue(1);
      disk.full = false;

      String expected = verb.equals("complete") ? "first run" : "second run";
      assertThat(inMemory.await(job).result()).isEqualTo(expected);
      assertThat(inMemory.task(job).attempts()).isEqualTo(verb.equals("fail") ? 1 : 0);
    }
  }

  @Test
  void aStopGivesUpWhatCannotBeStoredAndSaysSo() throws InterruptedException {
    FullDisk disk = new FullDisk("complete");
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(disk))) {
      Server server = inMemory.start(Worker.of("work", TaskContext::text));
      JobId job = inMemory.submit("work", "x");
      assertThat(disk.failed.tryAcquire(1, 30, TimeUnit.SECONDS)).isTrue();
      server.shutdown(Duration.ofMillis(1));
      assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
      assertThat(server.status().unstored()).isEqualTo(1);
      assertThat(inMemory.task(job).state()).isEqualTo(TaskState.IN_PROGRESS);
    }
  }

  @Test
  void claimsPauseWhileOutcomesCannotBeStored() throws InterruptedException {
    FullDisk disk = new FullDisk("complete");
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(disk))) {
      inMemory.start(8, Worker.of("work", TaskContext::text));
      JobId first = inMemory.submit("work", "x");
      assertThat(disk.failed.tryAcquire(1, 30, TimeUnit.SECONDS)).isTrue();
      // One claim may have been running at the first failure; at the second none is.
      assertThat(disk.failed.tryAcquire(1, 30, TimeUnit.SECONDS)).isTrue();
      int claims = disk.claims.get();
      JobId second = inMemory.submit("work", "y");
      assertThat(disk.failed.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
      assertThat(disk.claims).hasValue(claims);
      disk.full = false;

      assertThat(inMemory.await(first).result()).isEqualTo("x");
      assertThat(inMemory.await(second).result()).isEqualTo("y");
    }
  }

  @Test
  void failingClaimsAreRetried() throws InterruptedException {
    FullDisk disk = new FullDisk("claim", "heartbeat", "sweep", "log");
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(disk))) {
      inMemory.start(Worker.of("work", TaskContext::text));
      JobId job = inMemory.submit("work", "x");
      assertThat(disk.failed.tryAcquire(4, 30, TimeUnit.SECONDS)).isTrue();
      disk.full = false;

      assertThat(inMemory.await(job).result()).isEqualTo("x");
    }
  }

  @Test
  void aLogLineThatCannotBeStoredDoesNotFailTheTask() throws InterruptedException {
    FullDisk disk = new FullDisk("log", "heartbeat");
    Worker worker =
        Worker.of(
            "work",
            task -> {
              task.log("lost");
              return "done";
            });
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(disk))) {
      inMemory.start(worker);
      JobId job = inMemory.submit("work", "x");

      assertThat(inMemory.await(job).result()).isEqualTo("done");
    }
  }

  @Test
  void resultThatTheStoreRefusesFailsTheAttempt() throws InterruptedException {
    StoreInterceptor strict =
        call -> {
          if (call.name().equals("complete")) {
            throw new IllegalArgumentException("too large");
          }
          return call.proceed();
        };
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(strict))) {
      inMemory.start(Worker.of("work", task -> "x"));
      JobId job = inMemory.submit("work", "x");

      assertThat(inMemory.await(job).error()).isEqualTo("the store refuses the result: too large");
    }
  }

  @Test
  void aStoppingServerDoesNotWaitForAFullDiskToReleaseTasks() throws InterruptedException {
    FullDisk disk = new FullDisk("journal", "release");
    Worker worker =
        new ResumableWorker(
            "work",
            task -> {
              task.journal(new OutputChunk(List.of(1), "x"));
              return new TaskOutcome.Released("told to stop");
            });
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(disk))) {
      Server server = inMemory.start(worker);
      JobId job = inMemory.submit("work", InMemoryServer.attempts(1), "x");
      assertThat(disk.failed.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
      server.stop(); // would not return
      assertThat(inMemory.task(job).state()).isEqualTo(TaskState.IN_PROGRESS);
    }
  }

  @Test
  void stopNowDoesNotWaitForAFailingStore() throws InterruptedException {
    FullDisk disk = new FullDisk("complete", "release");
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(disk))) {
      Server server = inMemory.start(Worker.of("work", task -> "x"));
      JobId job = inMemory.submit("work", "x");
      assertThat(disk.failed.tryAcquire(1, 30, TimeUnit.SECONDS)).isTrue();
      server.stopNow();

      assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
      assertThat(inMemory.task(job).state())
          .isEqualTo(TaskState.IN_PROGRESS); // the next owner finds it
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"claim", "complete", "heartbeat", "sweep"})
  void brokenStoreStopsTheServer(String verb) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    StoreInterceptor breaking =
        call -> {
          // Only after a task runs.
          if (call.name().equals(verb) && (!verb.equals("claim") || calls.incrementAndGet() > 1)) {
            throw new StoreBrokenException("a sync failed", new IOException("I/O error"));
          }
          return call.proceed();
        };
    Worker worker =
        Worker.of(
            "work",
            task -> {
              if (task.text().equals("quick")) {
                return "x";
              }
              never.await();
              return "";
            });
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(breaking))) {
      JobId job = inMemory.submit("work", "quick", "slow");
      Server server = inMemory.start(worker);

      assertThatThrownBy(server::await)
          .isInstanceOf(StoreBrokenException.class)
          .hasMessage("a sync failed");
      assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
      assertThat(server.status().problem()).isEqualTo("a sync failed");
      assertThat(inMemory.flow.status(job)).isNotEqualTo(Status.DONE);
    }
  }

  @Test
  void aCallToAClosedStoreIsNotRepeated() {
    AtomicInteger calls = new AtomicInteger();
    StoreRetry retry = new StoreRetry(ProcessClock.system());
    assertThat(
            retry.callWithRetry(
                () -> {
                  calls.incrementAndGet();
                  throw new StoreException.Closed();
                }))
        .isEmpty();
    assertThat(calls).hasValue(1);
  }

  @Test
  void delaysGrowUpToFiveSeconds() {
    assertThat(StoreRetry.retryDelay(0)).isEqualTo(Duration.ofMillis(100));
    assertThat(StoreRetry.retryDelay(1)).isEqualTo(Duration.ofMillis(200));
    assertThat(StoreRetry.retryDelay(6)).isEqualTo(Duration.ofSeconds(5));
    assertThat(StoreRetry.retryDelay(1000)).isEqualTo(Duration.ofSeconds(5));
  }
}
