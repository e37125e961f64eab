package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.rules.Pulse;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ManualClock;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How a running task learns that it is to stop, and what its outcome then counts. */
class CancelTest {
  private static final Cause USER = Cause.user("ann", null);

  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
  private final ServerListener listener =
      new ServerListener() {
        @Override
        public void finished(Claim claim, TaskOutcome outcome, Answer answer) {
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

  private Answer answer() throws InterruptedException {
    Answer answer = answers.poll(30, TimeUnit.SECONDS);
    assertThat(answer).isNotNull();
    return answer;
  }

  @Test
  void abortReachesTheWorker() throws InterruptedException {
    try (Mill mill = new Mill()) {
      Server server = mill.start(mill.builder(worker).listener(listener));
      JobId job = mill.submit("wait", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      mill.store.abort(job, USER);

      assertThat(answer()).isInstanceOf(Answer.Cancelled.class);
      assertThat(seen).containsExactly("hook", "interrupt, cancelled true", "late hook");
      assertThat(mill.flow.status(job)).isEqualTo(Status.CANCELLED);
      assertThat(server.status().dropped()).isEqualTo(1);
    }
  }

  @Test
  void anErrorInAHookKeepsTheWordFromNobodyElse() throws InterruptedException {
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
    try (Mill mill = new Mill()) {
      mill.start(mill.builder(careless, worker).listener(listener));
      JobId first = mill.submit("careless", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      mill.store.abort(first, USER);
      assertThat(answer()).isInstanceOf(Answer.Cancelled.class);
      JobId second = mill.submit("wait", "x");
      mill.await(second, () -> mill.task(second).state() == TaskState.IN_PROGRESS);
      mill.store.abort(second, USER);
      assertThat(answer()).isInstanceOf(Answer.Cancelled.class);
    }
  }

  @Test
  void pausedJobsTaskRunsOnAndWhatItFinishesIsKept() throws InterruptedException {
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
    try (Mill mill = new Mill()) {
      mill.start(mill.builder(polling.onPlatformThreads()).listener(listener));
      JobId job = mill.submit("wait", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      mill.store.pause(job, USER);
      assertThat(pauseSeen.await(30, TimeUnit.SECONDS)).isTrue();
      go.countDown();
      assertThat(answer()).isEqualTo(Answer.DONE);
      mill.store.resume(job, USER);

      assertThat(mill.await(job).result()).isEqualTo("finished");
    }
  }

  @Test
  void runTimeoutStopsTheWorkerAndFailsTheAttempt() throws InterruptedException {
    ManualClock clock = new ManualClock(); // of the server alone: the store's sweep finds nothing
    try (Mill mill = new Mill()) {
      mill.start(mill.builder(worker).listener(listener).clock(clock));
      JobId job = mill.submit("wait", Mill.runTimeout(Duration.ofMinutes(5)), "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      clock.advance(Duration.ofMinutes(5));

      assertThat(answer()).isEqualTo(Answer.DONE);
      assertThat(mill.await(job).error()).isEqualTo("run timeout: not finished within PT5M");
      assertThat(seen).contains("interrupt, cancelled true");
    }
  }

  @Test
  void lateOutcomeOfALostClaimIsDropped() throws InterruptedException {
    Interposed losing = call -> call.name().equals("heartbeat") ? Pulse.LOST : call.proceed();
    try (Mill mill = new Mill(Interposed.before(losing))) {
      Server server = mill.start(mill.builder(worker).listener(listener));
      mill.submit("wait", "x");

      assertThat(answer()).isInstanceOf(Answer.Fenced.class);
      assertThat(server.status().failed()).isZero();
      assertThat(server.status().dropped()).isEqualTo(1);
    }
  }

  @Test
  void progressIsPassedOnOnce() throws InterruptedException {
    BlockingQueue<Boolean> beats = new LinkedBlockingQueue<>();
    Interposed listening =
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
    try (Mill mill = new Mill(Interposed.before(listening))) {
      mill.start(further);
      mill.submit("wait", "x");

      assertThat(beats.poll(30, TimeUnit.SECONDS)).isTrue();
      assertThat(beats.poll(30, TimeUnit.SECONDS)).isFalse();
    }
  }
}
