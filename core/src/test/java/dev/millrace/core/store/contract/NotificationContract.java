package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.openJob;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.task.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Notification of changes, and waiting for work. */
abstract class NotificationContract extends ContractCase {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<JobId> told = new CopyOnWriteArrayList<>();

  /** Runs {@code act} and requires that the watcher was called with {@code id} when it returns. */
  private void assertTold(String name, JobId id, Runnable act) {
    told.clear();
    act.run();
    assertThat(told).as(name).contains(id);
  }

  @Test
  void everyChangeOfAJobIsNotified() {
    Subscription subscription = store.onChange(told::add);
    JobId id = submit(ContractJobs.with(ContractJobs.attempts(9), ContractJobs.tasks("a", 9)));
    assertThat(told).as("submit").contains(id);
    assertTold("pause", id, () -> store.pause(id, ANNA));
    assertTold("resume", id, () -> store.resume(id, ANNA));
    assertTold("hold", id, () -> store.hold(id, 1, ANNA));
    assertTold("approve", id, () -> store.approve(id, 1, ANNA));
    assertTold("prioritize", id, () -> store.prioritize(id, Priority.HIGH, ANNA));
    assertTold("describe", id, () -> store.replaceMetadata(id, 0, 0, JsonObject.create(), ANNA));
    List<Claim> claims = new ArrayList<>();
    assertTold("claim", id, () -> claims.addAll(claim(4, MINUTE, "a")));
    assertTold("complete", id, () -> complete(claims.get(0), "done"));
    assertTold("fail", id, () -> store.fail(claims.get(1), Failure.of("broken")));
    assertTold("release", id, () -> store.release(claims.get(2), "shutdown"));
    clock.advance(MINUTE);
    assertTold("sweep", id, () -> store.sweep());
    assertTold("abort", id, () -> store.abort(id, ANNA));
    assertTold(
        "describe at the end",
        id,
        () -> store.replaceMetadata(id, 1, 1, JsonObject.create(), ANNA));
    subscription.close();
  }

  @Test
  void additionsAreNotified() {
    JobId id = store.submit(openJob());
    store.onChange(told::add);
    assertTold("stage", id, () -> store.addStage(id, stage("a"), ANNA));
    assertTold("tasks", id, () -> store.addTasks(id, 1, List.of(TaskSpec.of("x")), ANNA));
  }

  @Test
  void aWorkersLogLineIsNotifiedWithTheNextAnswerAtTheLatest() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    store.onChange(told::add);
    assertTold(
        "log and answer",
        id,
        () -> {
          store.log(claim, "info", "half way");
          complete(claim, "done");
        });
  }

  @Test
  void aNotifiedChangeIsDurableAndReadable() {
    List<Long> seen = new CopyOnWriteArrayList<>();
    store.onChange(id -> seen.add(view(id).lastEvent()));
    JobId id = submit(stage("a", "x"));
    complete(claimOne("a"), "done");
    assertThat(seen).isNotEmpty();
    assertThat(seen.getLast()).isEqualTo(view(id).lastEvent());
  }

  @Test
  void aRefusedChangeIsNotNotified() {
    JobId id = submit(stage("a", "x"));
    store.onChange(told::add);
    store.resume(id, ANNA);
    store.approve(id, 1, ANNA);
    store.prioritize(id, Priority.MEDIUM, ANNA);
    store.delete(id);
    store.addStage(id, stage("b"), ANNA);
    store.sweep();
    store.find(id);
    assertNothingToClaim("other");
    assertThat(told).isEmpty();
  }

  @Test
  void eachWatcherIsNotifiedUntilItUnsubscribes() {
    List<JobId> others = new CopyOnWriteArrayList<>();
    Subscription first = store.onChange(told::add);
    Subscription second = store.onChange(others::add);
    submit(stage("a", "x"));
    assertThat(told).isNotEmpty();
    assertThat(others).isNotEmpty();
    first.close();
    first.close();
    told.clear();
    others.clear();
    JobId id = submit(stage("a", "x"));
    assertThat(told).isEmpty();
    assertThat(others).contains(id);
    second.close();
  }

  @Test
  void theFirstWaitReturnsAtOnce() {
    assertTimeoutPreemptively(
        PATIENCE, () -> assertThat(store.awaitWork(0, Duration.ofHours(1))).isNotZero());
  }

  @Test
  void workThatArrivedSinceTheLastWaitIsNotMissed() {
    assertTimeoutPreemptively(
        PATIENCE,
        () -> {
          long seen = store.awaitWork(0, Duration.ofHours(1));
          submit(stage("a", "x"));
          assertThat(store.awaitWork(seen, Duration.ofHours(1))).isNotEqualTo(seen);
        });
  }

  @Test
  void everyWaiterIsWokenByNewWork() throws Exception {
    int count = 8;
    CountDownLatch woken = new CountDownLatch(count);
    long first = store.awaitWork(0, PATIENCE);
    List<Thread> waiters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      waiters.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      long seen = first;
                      while (store.isIdle(Set.of("a"))) {
                        seen = store.awaitWork(seen, PATIENCE);
                      }
                      woken.countDown();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  }));
    }
    submit(stage("a", "x"));
    assertThat(woken.await(30, TimeUnit.SECONDS)).as("all were woken by one job").isTrue();
    for (Thread waiter : waiters) {
      waiter.join();
    }
  }

  @Test
  void aTaskThatIsEnqueuedAgainIsNewWork() {
    assertTimeoutPreemptively(
        PATIENCE,
        () -> {
          JobId id = store.submit(openJob(stage("a", "x"), stage("b")));
          Claim claim = claimOne("a");
          long seen = store.awaitWork(0, Duration.ofHours(1));
          store.release(claim, "shutdown");
          seen = awaited(seen);
          store.pause(id, ANNA);
          store.resume(id, ANNA);
          seen = awaited(seen);
          store.prioritize(id, Priority.HIGH, ANNA);
          workOff("a");
          seen = store.awaitWork(0, Duration.ofHours(1));
          store.addTasks(id, 2, List.of(TaskSpec.of("y")), ANNA);
          awaited(seen);
        });
  }

  private long awaited(long seen) throws InterruptedException {
    long now = store.awaitWork(seen, Duration.ofHours(1));
    assertThat(now).isNotEqualTo(seen);
    return now;
  }

  @Test
  void theEndOfABackoffIsWork() {
    assertTimeoutPreemptively(
        PATIENCE,
        () -> {
          submit(ContractJobs.with(ContractJobs.attempts(2), stage("a", "x")));
          fail(claimOne("a"), "broken");
          assertNothingToClaim("a");
          clock.advance(SECOND);
          List<Claim> claims = List.of();
          for (long seen = store.awaitWork(0, PATIENCE); claims.isEmpty(); ) {
            seen = store.awaitWork(seen, Duration.ofMillis(20));
            claims = claim(1, "a");
          }
        });
  }

  @Test
  void theEndOfABackoffIsNewWorkForTheNextOwnerToo() {
    assertTimeoutPreemptively(
        PATIENCE,
        () -> {
          submit(ContractJobs.with(ContractJobs.attempts(2), stage("a", "x")));
          fail(claimOne("a"), "broken");
          crash();
          long seen = store.awaitWork(0, PATIENCE);
          assertNothingToClaim("a");
          clock.advance(SECOND);
          awaited(seen);
          claimOne("a");
        });
  }
}
