package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.event.Fact;
import dev.millrace.core.job.JobId;
import dev.millrace.core.state.IllegalTransitionException;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The ways to end a server. */
@Timeout(60)
class StopTest {
  private final InMemoryServer inMemory = new InMemoryServer();
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);

  @AfterEach
  void close() {
    inMemory.close();
  }

  private Worker waiting() {
    return Worker.of(
        "wait",
        task -> {
          started.countDown();
          go.await();
          return "finished";
        });
  }

  private CompletableFuture<Void> stopping(Server server) {
    return CompletableFuture.runAsync(server::close);
  }

  @Test
  void stopLetsRunningTasksFinishAndClaimsNoMore() throws Exception {
    Server server = inMemory.start(1, waiting());
    JobId first = inMemory.submit("wait", "x");
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    JobId second = inMemory.submit("wait", "y");
    CompletableFuture<Void> stopped = stopping(server);
    inMemory.await(first, () -> server.status().state() == ServerState.STOPPING);
    assertThat(stopped).isNotDone();
    go.countDown();
    stopped.get(30, TimeUnit.SECONDS);

    assertThat(inMemory.await(first).result()).isEqualTo("finished");
    assertThat(inMemory.flow.status(second)).isEqualTo(Status.QUEUED);
    assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
  }

  @Test
  void stopNowReleasesWithoutCostingAnAttempt() throws Exception {
    Server server = inMemory.start(waiting());
    JobId job = inMemory.submit("wait", "x");
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    server.stopNow();

    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.RETRIED);
    assertThat(inMemory.task(job).attempts()).isZero();
    assertThat(server.status().released()).isEqualTo(1);
    assertThat(inMemory.store.events(job, 0, 100))
        .anyMatch(
            entry ->
                entry.fact()
                        instanceof
                        Fact.TaskChanged(
                            _,
                            _,
                            _,
                            Fact.Detail.Released(String reason, boolean crash))
                    && reason.equals("shutdown")
                    && !crash);
  }

  @Test
  void theNextServerRunsReleasedTasks() throws Exception {
    Server server = inMemory.start(waiting());
    JobId job = inMemory.submit("wait", "x");
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    server.stopNow();
    inMemory.start(Worker.of("wait", task -> "attempt " + task.attempt()));

    assertThat(inMemory.await(job).result()).isEqualTo("attempt 1");
  }

  @Test
  void stopNowEndsAWaitingStop() throws Exception {
    Server server = inMemory.start(waiting());
    JobId job = inMemory.submit("wait", "x");
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> stopped = stopping(server);
    inMemory.await(job, () -> server.status().state() == ServerState.STOPPING);
    server.stopNow();
    stopped.get(30, TimeUnit.SECONDS);

    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.RETRIED);
  }

  @Test
  void shutdownStopsTasksAfterTheGracePeriod() throws Exception {
    Server server = inMemory.start(waiting());
    JobId job = inMemory.submit("wait", "x");
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    server.shutdown(Duration.ofMillis(10));

    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.RETRIED);
  }

  @Test
  void aWorkerThatDoesNotStopIsAbandoned() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    Worker deaf =
        Worker.of(
            "deaf",
            task -> {
              started.countDown();
              boolean deafToInterrupts = true;
              while (deafToInterrupts) {
                try {
                  go.await();
                  deafToInterrupts = false;
                } catch (InterruptedException e) {
                  assertThat(task.cancelled()).isTrue();
                }
              }
              ended.countDown();
              return "too late";
            });
    Server server = inMemory.start(inMemory.builder(deaf).stopTimeout(Duration.ofMillis(50)));
    JobId job = inMemory.submit("deaf", "x");
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    server.stopNow();
    assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.RETRIED);
    go.countDown();
    assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();

    assertThat(inMemory.task(job).attempts()).isZero();
    assertThat(inMemory.flow.status(job)).isNotEqualTo(Status.DONE);
  }

  @Test
  void resultInTimeCountsEvenWhenStopped() throws Exception {
    Worker quick =
        Worker.of(
            "quick",
            task -> {
              started.countDown();
              try {
                go.await();
              } catch (InterruptedException e) {
                return "what I had";
              }
              return "all";
            });
    Server server = inMemory.start(quick);
    JobId job = inMemory.submit("quick", "x");
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    server.stopNow();

    assertThat(inMemory.await(job).result()).isEqualTo("what I had");
  }

  private static Worker closing(Runnable closed) {
    return new Worker() {
      @Override
      public String type() {
        return "a";
      }

      @Override
      public TaskOutcome work(TaskContext task) {
        return TaskOutcome.done("");
      }

      @Override
      public void close() {
        closed.run();
      }
    };
  }

  @Test
  void workersAreClosedOnce() throws Exception {
    AtomicInteger closed = new AtomicInteger();
    Worker worker = closing(closed::incrementAndGet);
    Server server = inMemory.start(worker);
    server.stop();
    server.stopNow();
    server.close();

    assertThat(closed).hasValue(1);
  }

  @Test
  void aServerThatNeverStartedCanBeStopped() throws Exception {
    AtomicBoolean closed = new AtomicBoolean();
    Worker worker = closing(() -> closed.set(true));
    Server server = inMemory.keep(inMemory.builder(worker).build());
    server.stop();

    assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
    assertThat(closed).isTrue();
    assertThatThrownBy(server::start).isInstanceOf(IllegalTransitionException.class);
  }

  @Test
  void serverStartsOnce() {
    Server server = inMemory.start(waiting());

    assertThatThrownBy(server::start)
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("cannot START from RUNNING");
  }

  @Test
  void aStoreThatRefusesTheCallbackEndsTheServer() {
    AtomicBoolean failed = new AtomicBoolean();
    StoreInterceptor failing =
        call -> {
          if (call.name().equals("onLever") && failed.compareAndSet(false, true)) {
            throw new IllegalStateException("no watcher");
          }
          return call.proceed();
        };
    try (InMemoryServer deaf = new InMemoryServer(StoreInterceptor.intercepting(failing))) {
      Server server = deaf.start(waiting());
      assertThatThrownBy(server::await)
          .isInstanceOf(IllegalStateException.class)
          .hasRootCauseMessage("no watcher");
      assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
    }
  }

  @Test
  void aStoppedServerRemovesItsCallback() throws InterruptedException {
    AtomicReference<Object> watcher = new AtomicReference<>();
    StoreInterceptor seeing =
        call -> {
          if (call.name().equals("onLever")) {
            watcher.set(call.arguments()[0]);
          }
          return call.proceed();
        };
    try (InMemoryServer seen = new InMemoryServer(StoreInterceptor.intercepting(seeing))) {
      Server server = seen.start(1, waiting());
      JobId job = seen.submit("wait", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      Object before = watcher.get();
      server.stopNow();
      assertThat(watcher.get()).isNotNull().isNotSameAs(before);
      assertThat(seen.task(job).state()).isEqualTo(TaskState.RETRIED);
    }
  }
}
