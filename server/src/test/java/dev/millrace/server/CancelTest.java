package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How a running task is stopped, and how its outcome then counts. */
class CancelTest {
  private static final Cause USER = Cause.user("ann", null);

  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Outcome> answers = new LinkedBlockingQueue<>();
  private final TaskListener listener =
      new TaskListener() {
        @Override
        public void finished(Claim claim, TaskOutcome outcome, Outcome answer) {
          answers.add(answer);
        }
      };

  private final Worker worker =
      Worker.of(
          "wait",
          task -> {
            task.onCancel(() -> seen.add("hook"));
            started.countDown();
            try {
              go.await();
            } catch (InterruptedException e) {
              seen.add("interrupt, cancelled " + task.cancelled());
              task.onCancel(() -> seen.add("late hook"));
              throw e;
            }
            return "finished, paused " + task.paused();
          });

  private Outcome answer() throws InterruptedException {
    Outcome answer = answers.poll(30, TimeUnit.SECONDS);
    assertThat(answer).isNotNull();
    return answer;
  }

  @Test
  void abortReachesTheWorker() throws InterruptedException {
    try (InMemoryServer inMemory = new InMemoryServer()) {
      Server server = inMemory.start(inMemory.builder(worker).listener(listener));
      JobId job = inMemory.submit("wait", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      inMemory.store.abort(job, USER);

      assertThat(answer()).isInstanceOf(Outcome.Cancelled.class);
      assertThat(seen).containsExactly("hook", "interrupt, cancelled true", "late hook");
      assertThat(inMemory.flow.status(job)).isEqualTo(Status.CANCELLED);
      assertThat(server.status().dropped()).isEqualTo(1);
    }
  }

  @Test
  void anErrorInOneHookDoesNotKeepOthersFromRunning() throws InterruptedException {
    Worker careless =
        Worker.of(
            "careless",
            task -> {
              task.onCancel(
                  () -> {
                    throw new AssertionError("a hook's own");
                  });
              started.countDown();
              go.await();
              return "";
            });
    try (InMemoryServer inMemory = new InMemoryServer()) {
      inMemory.start(inMemory.builder(careless, worker).listener(listener));
      JobId first = inMemory.submit("careless", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      inMemory.store.abort(first, USER);
      assertThat(answer()).isInstanceOf(Outcome.Cancelled.class);
      JobId second = inMemory.submit("wait", "x");
      inMemory.await(second, () -> inMemory.task(second).state() == TaskState.IN_PROGRESS);
      inMemory.store.abort(second, USER);
      assertThat(answer()).isInstanceOf(Outcome.Cancelled.class);
    }
  }

  @Test
  void aTaskOfAPausedJobRunsOnAndItsResultIsKept() throws InterruptedException {
    CountDownLatch pauseSeen = new CountDownLatch(1);
    Worker polling =
        Worker.of(
            "wait",
            task -> {
              started.countDown();
              while (!task.paused()) {
                Thread.onSpinWait();
              }
              pauseSeen.countDown();
              go.await();
              return "finished";
            });
    try (InMemoryServer inMemory = new InMemoryServer()) {
      inMemory.start(inMemory.builder(polling.onPlatformThreads()).listener(listener));
      JobId job = inMemory.submit("wait", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      inMemory.store.pause(job, USER);
      assertThat(pauseSeen.await(30, TimeUnit.SECONDS)).isTrue();
      go.countDown();
      assertThat(answer()).isEqualTo(Outcome.DONE);
      inMemory.store.resume(job, USER);

      assertThat(inMemory.await(job).result()).isEqualTo("finished");
    }
  }

  @Test
  void runTimeoutStopsTheWorkerAndFailsTheAttempt() throws InterruptedException {
    ManualClock clock = new ManualClock(); // of the server alone: the store's sweep finds nothing
    try (InMemoryServer inMemory = new InMemoryServer()) {
      inMemory.start(inMemory.builder(worker).listener(listener).clock(clock));
      JobId job = inMemory.submit("wait", InMemoryServer.runTimeout(Duration.ofMinutes(5)), "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      clock.advance(Duration.ofMinutes(5));

      assertThat(answer()).isEqualTo(Outcome.DONE);
      assertThat(inMemory.await(job).error()).isEqualTo("run timeout: not finished within PT5M");
      assertThat(seen).contains("interrupt, cancelled true");
    }
  }

  @Test
  void lateOutcomeOfALostClaimIsDropped() throws InterruptedException {
    StoreInterceptor losing =
        call -> call.name().equals("heartbeat") ? ClaimSignal.LOST : call.proceed();
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(losing))) {
      Server server = inMemory.start(inMemory.builder(worker).listener(listener));
      inMemory.submit("wait", "x");

      assertThat(answer()).isInstanceOf(Outcome.Fenced.class);
      assertThat(server.status().failed()).isZero();
      assertThat(server.status().dropped()).isEqualTo(1);
    }
  }

  @Test
  void progressIsReportedToTheStoreOnce() throws InterruptedException {
    BlockingQueue<Boolean> beats = new LinkedBlockingQueue<>();
    StoreInterceptor listening =
        call -> {
          if (call.name().equals("heartbeat")) {
            beats.add((Boolean) call.arguments()[1]);
          }
          return call.proceed();
        };
    Worker further =
        Worker.of(
            "wait",
            task -> {
              task.progress();
              go.await();
              return "";
            });
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(listening))) {
      inMemory.start(further);
      inMemory.submit("wait", "x");

      assertThat(beats.poll(30, TimeUnit.SECONDS)).isTrue();
      assertThat(beats.poll(30, TimeUnit.SECONDS)).isFalse();
    }
  }
}
