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
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A closed store refuses late callers and changes nothing. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class CloseContract extends ContractCase {

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
    awaitRefusal(closing);
    assertThat(closed).isNotDone();
    goOn.countDown();
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
