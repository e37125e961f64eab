package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks that can be resumed: their frozen terms and journal. */
@Timeout(60)
class ResumableTaskTest {
  private static final Cause USER = Cause.user("ann", null);
  private static final JsonObject TERMS = JsonObject.create().put("seed", 7L);

  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);

  private static Worker resumable(Worker.OutcomeFunction body) {
    return new ResumableWorker("count", body);
  }

  /** Counts to three, and reports how far earlier attempts came. */
  private TaskOutcome count(TaskContext task) throws InterruptedException {
    if (task.claim().frozenTerms() != null) {
      return TaskOutcome.done(task.claim().frozenTerms() + " " + task.claim().journaledTokens());
    }
    assertThat(task.freeze(TERMS)).isTrue();
    task.journal(new OutputChunk(List.of(1, 2), "one two"));
    task.journal(new OutputChunk(List.of(3), "three"));
    CountDownLatch told = new CountDownLatch(1);
    task.onPause(told::countDown);
    task.onCancel(told::countDown);
    started.countDown();
    try {
      told.await();
    } catch (InterruptedException e) {
      assertThat(task.cancelled()).isTrue();
    }
    return task.paused() ? new TaskOutcome.Released("paused") : TaskOutcome.failed("stopped");
  }

  @Test
  void aStoppingServerReleasesItAtOnce() throws Exception {
    try (InMemoryServer inMemory = new InMemoryServer()) {
      Server server = inMemory.start(resumable(this::count));
      JobId job = inMemory.submit("count", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      server.stop();
      assertThat(inMemory.task(job).state()).isEqualTo(TaskState.RETRIED);
      assertThat(inMemory.task(job).attempts()).isZero();

      inMemory.start(resumable(this::count));
      assertThat(inMemory.await(job).result()).isEqualTo("{\"seed\":7} [1, 2, 3]");
    }
  }

  @Test
  void aPausedTaskResumesAfterwards() throws Exception {
    try (InMemoryServer inMemory = new InMemoryServer()) {
      inMemory.start(resumable(this::count));
      JobId job = inMemory.submit("count", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      inMemory.store.pause(job, USER);
      inMemory.await(job, () -> inMemory.task(job).state() == TaskState.RETRIED);
      inMemory.store.resume(job, USER);
      assertThat(inMemory.await(job).result()).isEqualTo("{\"seed\":7} [1, 2, 3]");
    }
  }

  @Test
  void theJournalWaitsForAFailingStoreAndHasNoGap() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    StoreInterceptor failing =
        call -> {
          if (call.name().equals("appendJournal") && calls.incrementAndGet() == 1) {
            throw new StoreException("disk full");
          }
          return call.proceed();
        };
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(failing))) {
      Server server = inMemory.start(resumable(this::count));
      JobId job = inMemory.submit("count", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      server.stop();
      assertThat(inMemory.store.outputSoFar(job, 1, 1, 0).text()).isEqualTo("one twothree");
      assertThat(calls).hasValue(3);
    }
  }

  @Test
  void noChunkFollowsOneThatTheStoreRefused() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    StoreInterceptor failing =
        call -> {
          if (call.name().equals("appendJournal") && calls.incrementAndGet() == 1) {
            throw new JobException("its directory is gone", new IOException("gone"));
          }
          return call.proceed();
        };
    Worker stubborn =
        resumable(
            task -> {
              assertThatThrownBy(() -> task.journal(new OutputChunk(List.of(1), "one")))
                  .isInstanceOf(JobException.class);
              task.journal(new OutputChunk(List.of(2), "two"));
              return TaskOutcome.done("");
            });
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(failing))) {
      inMemory.start(stubborn);
      assertThat(inMemory.await(inMemory.submit("count", "x")).error()).isNull();
      assertThat(calls).hasValue(1);
    }
  }

  @Test
  void claimsAreNumberedInTheirOrder() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    try (InMemoryServer inMemory = new InMemoryServer()) {
      JobId job = inMemory.submit("count", "a", "b", "c");
      inMemory.start(
          1,
          resumable(
              task -> {
                seen.add(task.text() + task.claimOrder());
                return TaskOutcome.done("");
              }));
      inMemory.await(job);
      assertThat(seen).containsExactly("a0", "b1", "c2");
    }
  }

  @Test
  void thePartialOutputOfATimedOutAttemptIsKeptWithItsReceipt() throws Exception {
    JsonObject receipt = JsonObject.create().put("finish_reason", "deadline");
    BlockingQueue<TaskOutcome> outcomes = new LinkedBlockingQueue<>();
    Worker late =
        resumable(
            task -> {
              started.countDown();
              try {
                go.await();
              } catch (InterruptedException e) {
                assertThat(task.timedOut()).isTrue();
              }
              return new TaskOutcome.Failed(new Failure("cut", false, "half", receipt));
            });
    TaskListener listener =
        new TaskListener() {
          @Override
          public void finished(Claim claim, TaskOutcome outcome, Outcome answer) {
            outcomes.add(outcome);
          }
        };
    try (InMemoryServer inMemory = new InMemoryServer()) {
      var clock = new ManualClock();
      inMemory.start(inMemory.builder(late).clock(clock).listener(listener));
      JobId job = inMemory.submit("count", InMemoryServer.runTimeout(Duration.ofMinutes(5)), "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      clock.advance(Duration.ofMinutes(5));
      inMemory.await(job);
      assertThat(outcomes.poll(30, TimeUnit.SECONDS))
          .isEqualTo(
              new TaskOutcome.Failed(
                  new Failure("run timeout: not finished within PT5M", true, "half", receipt)));
    }
  }
}
