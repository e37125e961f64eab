package dev.millrace.http.jobnik.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.TaskState;
import dev.millrace.http.route.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The order in which waiting requests get tasks. */
class TaskDispatcherTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final JobStore store =
      new MemoryStoreFixture().open(ContractSettings.steady(new ManualClock()));
  private final TaskDispatcher dispatcher = TaskDispatcher.start(store);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void close() {
    dispatcher.close();
    threads.close();
    store.close();
  }

  private static DequeueRequest request(String worker, Duration maxWait, BooleanSupplier gone) {
    return new DequeueRequest(
        "t", 1, worker, Duration.ofMinutes(1), false, maxWait, gone, () -> {});
  }

  private Future<List<Claim>> waiter(String worker) {
    return waiter(worker, () -> false);
  }

  /** Adds a waiter at the end of the queue; returns when it waits. */
  private Future<List<Claim>> waiter(String worker, BooleanSupplier gone) {
    int before = dispatcher.waiting();
    Future<List<Claim>> waiter =
        threads.submit(() -> dispatcher.claim(request(worker, LONG, gone)));
    awaitTrue(() -> dispatcher.waiting() == before + 1);
    return waiter;
  }

  private JobId submit(int tasks) {
    return store.submit(
        JobSpec.of(
            List.of(
                StageSpec.of("t", Stream.generate(() -> TaskSpec.of("x")).limit(tasks).toList()))));
  }

  private static String worker(Future<List<Claim>> waiter) throws Exception {
    return waiter.get().getFirst().view().worker();
  }

  @Test
  void firstWaiterIsServedFirst() throws Exception {
    List<Future<List<Claim>>> queue = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      queue.add(waiter("w" + i));
    }
    submit(1);
    assertThat(worker(queue.getFirst())).isEqualTo("w0");
    assertThat(dispatcher.waiting()).isEqualTo(4);
  }

  /** Each served waiter wakes two, which may overtake each other; others cannot. */
  @Test
  void singleTasksAreServedInOrder() throws Exception {
    List<Future<List<Claim>>> queue = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      queue.add(waiter("w" + i));
    }
    for (int served = 1; served <= 40; served++) {
      int count = served;
      submit(1);
      awaitTrue(() -> queue.stream().filter(Future::isDone).count() == count);
      int last = 0;
      for (int i = 0; i < 40; i++) {
        last = queue.get(i).isDone() ? i : last;
      }
      assertThat(last).isLessThan(2 * count + 1);
    }
  }

  @Test
  void allWaitersGetTasksWhenThereAreMany() throws Exception {
    List<Future<List<Claim>>> queue = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      queue.add(waiter("w" + i));
    }
    JobId job = submit(60);
    List<String> workers = new ArrayList<>();
    for (Future<List<Claim>> one : queue) {
      workers.add(worker(one));
    }
    assertThat(workers).doesNotHaveDuplicates().hasSize(60);
    assertThat(store.tasks(job, 1, 1, 100)).allMatch(task -> task.state() == TaskState.IN_PROGRESS);
    assertThat(dispatcher.waiting()).isZero();
  }

  @Test
  void newRequestDoesNotOvertakeWaiters() throws Exception {
    Future<List<Claim>> first = waiter("first");
    assertThat(dispatcher.claim(request("impatient", Duration.ZERO, () -> false))).isEmpty();
    submit(1);
    assertThat(worker(first)).isEqualTo("first");
  }

  @Test
  void disconnectedWaiterGetsNoTask() throws Exception {
    AtomicBoolean gone = new AtomicBoolean();
    Future<List<Claim>> disconnected = waiter("disconnected", gone::get);
    Future<List<Claim>> next = waiter("next");
    gone.set(true);
    submit(1);
    assertThat(worker(next)).isEqualTo("next");
    assertThat(disconnected.get()).isEmpty();
  }

  @Test
  void taskOfAClientThatDisconnectsDuringTheClaimIsReleased() throws Exception {
    BooleanSupplier afterTheClaim = () -> store.counts().getOrDefault(JobState.IN_PROGRESS, 0) > 0;
    Future<List<Claim>> disconnected = waiter("disconnected", afterTheClaim);
    JobId job = submit(1);
    assertThat(disconnected.get()).isEmpty();
    TaskView task = store.task(job, 1, 1).orElseThrow();
    assertThat(task.state()).isEqualTo(TaskState.RETRIED);
    assertThat(task.attempts()).isZero();
    assertThat(dispatcher.claim(request("next", Duration.ZERO, () -> false))).hasSize(1);
  }

  @Test
  void waitEndsAfterItsLimit() throws Exception {
    assertThat(dispatcher.claim(request("w", Duration.ofMillis(20), () -> false))).isEmpty();
    assertThat(dispatcher.waiting()).isZero();
  }

  @Test
  void stageTypesHaveSeparateQueues() throws Exception {
    Future<List<Claim>> other =
        threads.submit(
            () ->
                dispatcher.claim(
                    new DequeueRequest(
                        "u",
                        1,
                        "other",
                        Duration.ofMinutes(1),
                        false,
                        LONG,
                        () -> false,
                        () -> {})));
    awaitTrue(() -> dispatcher.waiting() == 1);
    submit(1);
    assertThat(dispatcher.claim(request("w", Duration.ZERO, () -> false))).hasSize(1);
    assertThat(other.isDone()).isFalse();
  }

  @Test
  void onlyARequestThatHasToWaitIsRefused() throws Exception {
    DequeueRequest refused =
        new DequeueRequest(
            "t",
            1,
            "w",
            Duration.ofMinutes(1),
            false,
            LONG,
            () -> false,
            () -> {
              throw new Problem(Problem.Kind.UNAVAILABLE, "too many wait");
            });
    assertThatThrownBy(() -> dispatcher.claim(refused)).hasMessage("too many wait");
    assertThat(dispatcher.waiting()).isZero();
    submit(1);
    assertThat(dispatcher.claim(refused)).hasSize(1);
  }

  @Test
  void closeEndsAllWaits() throws Exception {
    List<Future<List<Claim>>> queue = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      queue.add(threads.submit(() -> dispatcher.claim(request("w", LONG, () -> false))));
    }
    awaitTrue(() -> dispatcher.waiting() == 100);
    dispatcher.close();
    for (Future<List<Claim>> one : queue) {
      assertThat(one.get()).isEmpty();
    }
    assertThat(dispatcher.claim(request("late", LONG, () -> false))).isEmpty();
  }

  @Test
  void interruptedWaiterLeavesTheQueue() throws Exception {
    Thread[] thread = new Thread[1];
    Future<?> first =
        threads.submit(
            () -> {
              thread[0] = Thread.currentThread();
              return dispatcher.claim(request("first", LONG, () -> false));
            });
    awaitTrue(() -> dispatcher.waiting() == 1);
    Future<List<Claim>> second = waiter("second");
    thread[0].interrupt();
    assertThatThrownBy(first::get).hasCauseInstanceOf(InterruptedException.class);
    submit(1);
    assertThat(worker(second)).isEqualTo("second");
  }

  private static void awaitTrue(Callable<Boolean> condition) {
    await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2)).until(condition);
  }
}
