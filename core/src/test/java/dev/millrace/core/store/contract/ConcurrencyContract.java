package dev.millrace.core.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many workers and users at once: each task is claimed by one worker and ends once. A closed store
 * refuses late callers and changes nothing.
 */
abstract class ConcurrencyContract extends ContractCase {
  private static final int THREADS = 8;

  private void inParallel(Callable<Void> body) throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
      List<Future<Void>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        all.add(pool.submit(body));
      }
      for (Future<Void> each : all) {
        each.get();
      }
    }
  }

  private List<Claim> claimAs(String worker, int limit) {
    return store.claim(new ClaimRequest(Set.of("a"), limit, worker, null));
  }

  @Test
  void noTaskIsClaimedTwice() throws Exception {
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ids.add(submit(ContractJobs.tasks("a", 500)));
    }
    Set<String> given = ConcurrentHashMap.newKeySet();
    inParallel(
        () -> {
          String worker = Thread.currentThread().getName();
          for (List<Claim> some = claimAs(worker, 16);
              !some.isEmpty();
              some = claimAs(worker, 16)) {
            for (Claim claim : some) {
              assertThat(given.add(claim.toString())).as("%s is given once", claim).isTrue();
              complete(claim, claim.inputText());
            }
          }
          return null;
        });
    assertThat(given).hasSize(2_000);
    for (JobId id : ids) {
      assertThat(state(id)).isEqualTo(JobState.COMPLETED);
      assertThat(store.tasks(id, 1, 1, 1_000))
          .hasSize(500)
          .allSatisfy(task -> assertThat(task.result().text()).isEqualTo(task.input()));
    }
  }

  @Test
  void ofManyAnswersToOneClaimOneCounts() throws Exception {
    JobId id = submit(ContractJobs.with(ContractJobs.attempts(9), ContractJobs.tasks("a", 50)));
    List<Claim> claims = claim(50, "a");
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger thread = new AtomicInteger();
    inParallel(
        () -> {
          int kind = thread.getAndIncrement() % 3;
          for (Claim claim : claims) {
            Outcome outcome =
                switch (kind) {
                  case 0 -> store.complete(claim, TaskResult.of("x"));
                  case 1 -> store.fail(claim, Failure.of("x"));
                  default -> store.release(claim, "x");
                };
            taken.addAndGet(outcome.isDone() ? 1 : 0);
          }
          return null;
        });
    assertThat(taken).hasValue(50);
    assertThat(view(id).stages().getFirst().total()).isEqualTo(50);
  }

  @Test
  void workContinuesWhileUsersPauseAndResume() throws Exception {
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ids.add(submit(ContractJobs.tasks("a", 40), ContractJobs.each("a", "{{result}}")));
    }
    long seed = 20260301;
    AtomicInteger thread = new AtomicInteger();
    inParallel(
        () -> {
          int number = thread.getAndIncrement();
          SplittableRandom random = new SplittableRandom(seed + number);
          for (int i = 0; i < 60; i++) {
            JobId id = ids.get(random.nextInt(ids.size()));
            if (number < 2) {
              if (random.nextBoolean()) {
                store.pause(id, ANNA);
              } else {
                store.resume(id, ANNA);
              }
            } else {
              answerSome(random);
            }
          }
          return null;
        });
    ids.forEach(id -> store.resume(id, ANNA));
    workOff("a");
    assertThat(ids).allSatisfy(id -> assertThat(state(id)).isEqualTo(JobState.COMPLETED));
  }

  private void answerSome(SplittableRandom random) {
    for (Claim claim : claim(1 + random.nextInt(4), "a")) {
      Outcome outcome =
          random.nextInt(4) == 0
              ? store.release(claim, "shutdown")
              : store.complete(claim, TaskResult.of(claim.inputText()));
      assertThat(outcome).isEqualTo(Outcome.DONE);
    }
  }

  @Test
  void everyCallThatWouldWriteIsRefusedAfterClose() {
    JobId id = submit(ContractJobs.stage("a", "one", "two"));
    JobId ended = submit(ContractJobs.stage("b", "x"));
    store.abort(ended, ANNA);
    store.writeNote("keys", "one", "1");
    Claim claim = claimOne("a");
    JobStore closed = store;
    reopen();
    store.release(claim, "the store was closed");
    List<Object> after = everything(id);
    for (Runnable late : lateCalls(closed, id, ended, claim)) {
      assertThatThrownBy(late::run)
          .isInstanceOf(StoreException.Closed.class)
          .hasMessage("the store is closed");
    }
    assertThat(everything(id)).isEqualTo(after);
    assertThat(state(ended)).isEqualTo(JobState.ABORTED);
    assertThat(store.list(JobReader.Query.all())).hasSize(2);
    assertThat(store.noteNames("keys")).containsExactly("one");
  }

  private static List<Runnable> lateCalls(JobStore late, JobId id, JobId ended, Claim claim) {
    List<Runnable> calls = new ArrayList<>();
    calls.add(() -> late.submit(ContractJobs.job(ContractJobs.stage("a", "late"))));
    calls.add(
        () -> late.submit(ContractJobs.job(ContractJobs.stage("a", "late")), new JobId("1_2_3")));
    calls.add(() -> late.retry(RetryRequest.of(ended)));
    calls.add(() -> late.pause(id, ANNA));
    calls.add(() -> late.abort(id, ANNA));
    calls.add(() -> late.prioritize(id, Priority.HIGH, ANNA));
    calls.add(() -> late.addTasks(id, 1, List.of(TaskSpec.of("late")), ANNA));
    calls.add(() -> late.delete(ended));
    calls.add(() -> late.prune(Instant.MAX, Set.of(JobState.ABORTED)));
    calls.add(() -> late.claim(new ClaimRequest(Set.of("a", "b"), 9, "late", null)));
    calls.add(() -> late.findClaim(id, 1, 1));
    calls.add(() -> late.complete(claim, TaskResult.of("late")));
    calls.add(() -> late.fail(claim, Failure.of("late")));
    calls.add(() -> late.release(claim, "late"));
    calls.add(() -> late.heartbeat(claim, true));
    calls.add(() -> late.freeze(claim, JsonObject.create()));
    calls.add(() -> late.appendJournal(claim, new OutputChunk(List.of(1), "late")));
    calls.add(() -> late.log(claim, "info", "late"));
    calls.add(late::sweep);
    calls.add(() -> late.writeNote("keys", "late", "2"));
    calls.add(() -> late.deleteNote("keys", "one"));
    return calls;
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aWatcherMayCloseTheStore() {
    CountDownLatch called = new CountDownLatch(1);
    JobStore closing = store;
    store.onChange(
        _ -> {
          closing.close();
          called.countDown();
        });
    JobId id = submit(ContractJobs.stage("a", "one"));
    assertThat(called.getCount()).isZero();
    store = fixture().open(settings());
    assertThat(state(id)).isEqualTo(JobState.PENDING);
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void closeWaitsForTheCallsUnderWay() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    JobStore closing = store;
    store.onChange(
        _ -> {
          inside.countDown();
          awaitUninterruptibly(goOn);
        });
    CompletableFuture<JobId> submitted =
        CompletableFuture.supplyAsync(
            () -> submit(ContractJobs.stage("a", "one")), Thread::startVirtualThread);
    inside.await();
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(closing::close, Thread::startVirtualThread);
    try {
      awaitRefusal(closing);
      assertThat(closed).isNotDone();
    } finally {
      goOn.countDown(); // a store that fails here can still be closed
    }
    JobId id = submitted.get(60, TimeUnit.SECONDS);
    closed.get(60, TimeUnit.SECONDS);
    store = fixture().open(settings());
    assertThat(state(id)).isEqualTo(JobState.PENDING);
  }

  /** Returns when close() has begun, which refuses the next caller. */
  private static void awaitRefusal(JobStore closing) {
    while (true) {
      try {
        closing.deleteNote("keys", "none");
        Thread.onSpinWait();
      } catch (StoreException.Closed e) {
        return;
      }
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
