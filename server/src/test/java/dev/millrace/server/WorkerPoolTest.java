package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How tasks are assigned to slots. */
class WorkerPoolTest {

  @Test
  void neverMoreTasksThanSlotsAndNoneTwice() throws InterruptedException {
    int slots = 5;
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Set<String> seen = ConcurrentHashMap.newKeySet();
    CyclicBarrier full = new CyclicBarrier(slots); // all slots are used, or this test hangs
    Worker worker =
        Worker.of(
            "count",
            task -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              assertThat(seen.add(task.text())).isTrue();
              full.await(InMemoryServer.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
              now.decrementAndGet();
              return task.text();
            });
    try (InMemoryServer inMemory = new InMemoryServer()) {
      inMemory.start(slots, worker);
      String[] inputs =
          IntStream.range(0, 40 * slots).mapToObj(Integer::toString).toArray(String[]::new);
      JobId job = inMemory.submit("count", inputs);

      assertThat(inMemory.await(job).status()).isEqualTo(Status.DONE);
      assertThat(most).hasValue(slots);
      assertThat(seen).hasSize(inputs.length);
    }
  }

  @Test
  void neverClaimsMoreThanFreeSlots() throws InterruptedException {
    AtomicInteger held = new AtomicInteger(); // claimed and not yet answered
    AtomicInteger mostAsked = new AtomicInteger();
    StoreInterceptor counting =
        call -> {
          if (call.name().equals("claim")) {
            int limit = ((ClaimRequest) call.arguments()[0]).limit();
            mostAsked.accumulateAndGet(held.get() + limit, Math::max);
            Object claims = call.proceed();
            held.addAndGet(((java.util.List<?>) claims).size());
            return claims;
          }
          if (call.name().equals("complete")) {
            Object answer = call.proceed();
            held.decrementAndGet();
            return answer;
          }
          return call.proceed();
        };
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(counting))) {
      inMemory.start(3, Worker.of("count", TaskContext::text));
      JobId job =
          inMemory.submit(
              "count", IntStream.range(0, 200).mapToObj(Integer::toString).toArray(String[]::new));

      assertThat(inMemory.await(job).status()).isEqualTo(Status.DONE);
      assertThat(mostAsked.get()).isLessThanOrEqualTo(3);
    }
  }

  @Test
  void aWorkerGetsNoTaskBeforeItIsReadyAndThenAtOnce() throws InterruptedException {
    Set<String> claimed = ConcurrentHashMap.newKeySet();
    StoreInterceptor sleepy =
        call -> {
          if (call.name().equals("claim")) {
            claimed.addAll(((ClaimRequest) call.arguments()[0]).types());
          }
          if (call.name().equals("awaitWork")) {
            call.arguments()[1] =
                Duration.ofHours(1); // without the hook it would look again too late
          }
          return call.proceed();
        };
    GatedWorker gated = new GatedWorker();
    for (boolean together : new boolean[] {true, false}) {
      try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(sleepy))) {
        ServerBuilder builder = inMemory.builder(Worker.of("open", TaskContext::text));
        Worker late = together ? gated : gated.onPlatformThreads();
        inMemory.start(together ? builder.worker(late) : builder.group(1, List.of(late)));
        JobId waiting = inMemory.submit("gated", "x");
        assertThat(inMemory.await(inMemory.submit("open", "y")).status()).isEqualTo(Status.DONE);
        assertThat(claimed).containsExactly("open");
        assertThat(inMemory.task(waiting).state()).isEqualTo(TaskState.PENDING);
        gated.becomeReady();
        assertThat(inMemory.await(waiting).status()).isEqualTo(Status.DONE);
      }
      gated.ready = false;
      claimed.clear();
    }
  }

  @Test
  void groupsDoNotShareSlots() throws InterruptedException {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Semaphore go = new Semaphore(0);
    CountDownLatch full = new CountDownLatch(2);
    Worker program =
        Worker.of(
            "program",
            task -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              full.countDown();
              go.acquire();
              now.decrementAndGet();
              return "";
            });
    try (InMemoryServer inMemory = new InMemoryServer()) {
      List<Worker> model = List.of(Worker.of("model", TaskContext::text));
      Server server = inMemory.start(inMemory.builder(program).slots(2).group(3, model));
      assertThat(server.status().slots()).isEqualTo(5);
      String[] inputs = IntStream.range(0, 20).mapToObj(Integer::toString).toArray(String[]::new);
      JobId programs = inMemory.submit("program", inputs);
      assertThat(full.await(30, TimeUnit.SECONDS)).isTrue();
      JobId prompts = inMemory.submit("model", inputs);
      assertThat(inMemory.await(prompts).status()).as("not starved").isEqualTo(Status.DONE);
      assertThat(now).hasValue(2);
      go.release(inputs.length);
      assertThat(inMemory.await(programs).status()).isEqualTo(Status.DONE);
      assertThat(most).hasValue(2);
    }
  }

  @Test
  void tasksOfOtherTypesAreNotClaimed() throws InterruptedException {
    try (InMemoryServer inMemory = new InMemoryServer()) {
      inMemory.start(Worker.of("mine", task -> "done"));
      JobId other = inMemory.submit("other", "x");
      JobId mine = inMemory.submit("mine", "x");

      assertThat(inMemory.await(mine).status()).isEqualTo(Status.DONE);
      assertThat(inMemory.flow.status(other)).isEqualTo(Status.QUEUED);
    }
  }

  @Test
  void listenerAndStatusSeeWhatHappens() throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Set<String> told = ConcurrentHashMap.newKeySet();
    TaskListener listener =
        new TaskListener() {
          @Override
          public void started(Claim claim) {
            told.add("started " + claim.input());
            throw new IllegalStateException("a listener's own problem");
          }

          @Override
          public void finished(Claim claim, TaskOutcome outcome, Outcome answer) {
            told.add(outcome.getClass().getSimpleName() + " " + claim.input() + answer.isDone());
          }
        };
    Worker worker =
        Worker.of(
            "wait",
            task -> {
              started.countDown();
              go.await();
              return "ok";
            });
    try (InMemoryServer inMemory = new InMemoryServer()) {
      Server server = inMemory.start(inMemory.builder(worker).listener(listener));
      JobId job = inMemory.submit("wait", "x");
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(server.status().running()).hasSize(1);
      assertThat(server.status().state()).isEqualTo(ServerState.RUNNING);
      go.countDown();
      inMemory.await(job);
      server.stop();

      assertThat(server.status().done()).isEqualTo(1);
      assertThat(server.status().running()).isEmpty();
      assertThat(told).containsExactlyInAnyOrder("started x", "Done xtrue");
    }
  }

  @Test
  void theBuilderRefusesInvalidWorkersAndSlots() {
    try (InMemoryServer inMemory = new InMemoryServer()) {
      ServerBuilder builder = inMemory.builder();
      assertThatThrownBy(() -> builder.slots(0)).hasMessageContaining("got 0");
      builder.worker(Worker.of("a", task -> ""));
      assertThatThrownBy(() -> builder.worker(Worker.of("a", task -> "")))
          .hasMessageContaining("two workers for type \"a\"");
      assertThatThrownBy(() -> builder.group(2, List.of(Worker.of("a", task -> ""))))
          .hasMessageContaining("two workers for type \"a\"");
      assertThatThrownBy(() -> builder.group(2, List.of())).hasMessageContaining("at least one");
      assertThatThrownBy(() -> builder.group(0, List.of(Worker.of("b", task -> ""))))
          .hasMessageContaining("got 0");
      assertThatThrownBy(() -> Worker.of("no/slash", task -> "")).hasMessageContaining("no/slash");
    }
  }

  /** For tasks that remote workers claim: the store must still expire leases. */
  @Test
  void serverWithoutWorkersRunsAndDrains() throws InterruptedException {
    try (InMemoryServer inMemory = new InMemoryServer()) {
      Server server = inMemory.builder().build().start();
      assertThat(server.status().state()).isEqualTo(ServerState.RUNNING);
      assertThat(server.drain()).isEqualTo(DrainResult.CLEAN);
    }
  }

  @Test
  void aClosedStoreEndsTheServer() throws InterruptedException {
    AtomicInteger refused = new AtomicInteger();
    StoreInterceptor counting =
        call -> {
          try {
            return call.proceed();
          } catch (StoreException.Closed e) {
            refused.incrementAndGet();
            throw e;
          }
        };
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(counting))) {
      Server server = inMemory.start(Worker.of("count", TaskContext::text));
      inMemory.store.close();
      server.await();
      assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
      assertThat(refused).hasValueBetween(1, 3);
    }
  }
}
