package dev.millrace.client.worker;

import static dev.millrace.client.worker.WorkerFixture.DEQUEUE;
import static dev.millrace.client.worker.WorkerFixture.HEARTBEAT;
import static dev.millrace.client.worker.WorkerFixture.LONG;
import static dev.millrace.client.worker.WorkerFixture.RELEASE;
import static dev.millrace.client.worker.WorkerFixture.TASK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.client.FakeTimeSource;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.ScriptedServer;
import dev.millrace.client.worker.WorkerEvent.Location;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A worker among threads, servers and handlers that do not do as they should. */
class WorkerFaultsTest {
  private final WorkerFixture bench = new WorkerFixture();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void taskForWhichThereIsNoThreadIsGivenBackAndTheWorkerGoesOn() {
    bench.queue(5);
    AtomicInteger threads = new AtomicInteger();
    bench.start(
        bench
            .worker(task -> "done")
            .handlerBreaker(BreakerSettings.DEFAULT.volume(1))
            .threads(
                run -> {
                  if (threads.incrementAndGet() <= 3) {
                    throw new IllegalStateException("no thread");
                  }
                  return Thread.ofVirtual().unstarted(run);
                }));

    await().atMost(LONG).until(() -> bench.told(WorkerEvent.TaskCompleted.class).size() == 2);
    assertThat(bench.api.seen(RELEASE))
        .hasSize(3)
        .allSatisfy(
            one ->
                assertThat(one.json().string("reason"))
                    .isEqualTo("the worker has no thread for it"));
  }

  @Test
  void pollThatFailsInAnyWayEndsTheBreakersCall() {
    FakeTimeSource timing = new FakeTimeSource();
    AtomicInteger asked = new AtomicInteger();
    bench.api.on(
        DEQUEUE,
        ScriptedServer.text(500, "{}"),
        ScriptedServer.json(200, List.of(ScriptedServer.claimed(TASK))),
        ScriptedServer.after(bench.over, ScriptedServer.json(200, List.of())));
    try (MillraceClient client =
            bench
                .api
                .builder(timing)
                .trace(
                    () -> {
                      if (asked.incrementAndGet() == 2) { // the one that is let through
                        throw new IllegalStateException("no trace");
                      }
                      return null;
                    })
                .build();
        Worker worker =
            Worker.builder(client, "resize", task -> "done")
                .dequeueBreaker(BreakerSettings.DEFAULT.volume(1))
                .listener(bench.events::add)
                .build()) {
      worker.start();
      bench.awaitTold(WorkerEvent.TaskCompleted.class);
      bench.over.countDown();
    }
    assertThat(bench.told(WorkerEvent.CircuitBreakerOpened.class)).hasSize(2);
    assertThat(bench.told(WorkerEvent.Error.class))
        .extracting(WorkerEvent.Error::location)
        .containsExactly(Location.TASK_DEQUEUE, Location.TASK_DEQUEUE);
  }

  @Test
  void heartbeatThatHangsInTheMiddleOfItsAnswerIsFollowedByAnother() {
    CountDownLatch never = new CountDownLatch(1);
    bench.api.on(HEARTBEAT, ScriptedServer.stream(never, "{"), WorkerFixture.beat(true, false));
    bench.start(
        bench.worker(
            task -> {
              new CountDownLatch(1).await();
              return "never";
            }));

    bench.awaitTold(WorkerEvent.TaskDropped.class);
    assertThat(bench.told(WorkerEvent.Error.class))
        .extracting(WorkerEvent.Error::location)
        .containsExactly(Location.HEARTBEAT);
  }

  @Test
  void leaseIsCountedFromBeforeItWasAskedFor() {
    FakeTimeSource timing = new FakeTimeSource();
    bench.api.on(
        DEQUEUE,
        (seen, exchange) -> {
          timing.pass(Duration.ofSeconds(10));
          ScriptedServer.json(200, List.of(ScriptedServer.claimed(TASK))).answer(seen, exchange);
        },
        ScriptedServer.after(bench.over, ScriptedServer.json(200, List.of())));
    bench.start(
        bench
            .worker(timing, task -> task.leaseLeft().toSeconds())
            .heartbeat(Duration.ofSeconds(30)));

    assertThat(bench.answer().get("result")).isEqualTo(50L);
  }

  @Test
  void claimThatWasLongWaitedForIsRenewedAtOnce() {
    FakeTimeSource timing = new FakeTimeSource();
    bench.api.on(
        DEQUEUE,
        (seen, exchange) -> {
          timing.pass(Duration.ofSeconds(59));
          ScriptedServer.json(200, List.of(ScriptedServer.claimed(TASK))).answer(seen, exchange);
        },
        ScriptedServer.after(bench.over, ScriptedServer.json(200, List.of())));
    bench.start(
        bench
            .worker(
                timing,
                task -> {
                  await().atMost(LONG).until(() -> task.leaseLeft().toSeconds() == 60);
                  return "renewed";
                })
            .heartbeat(Duration.ofSeconds(30)));

    assertThat(bench.answer().get("result")).isEqualTo("renewed");
  }

  @Test
  void tasksOfStubbornHandlersAreGivenBackAllAtOnce() {
    int tasks = 8;
    bench.api.on(
        DEQUEUE,
        ScriptedServer.json(
            200,
            IntStream.range(0, tasks)
                .mapToObj(i -> ScriptedServer.claimed(new UUID(3, i)))
                .toList()),
        ScriptedServer.after(bench.over, ScriptedServer.json(200, List.of())));
    CountDownLatch all = new CountDownLatch(tasks);
    bench.api.on(
        RELEASE,
        (seen, exchange) -> {
          all.countDown();
          all.await(); // one after the other, this would last for ever
          ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create()))
              .answer(seen, exchange);
        });
    CountDownLatch go = new CountDownLatch(1);
    Worker worker = bench.start(bench.worker(task -> stubborn(go)).concurrency(tasks));
    await().atMost(LONG).until(() -> worker.active() == tasks);
    long start = System.nanoTime();
    worker.stop(Duration.ofMillis(10));

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    assertThat(bench.api.seen(RELEASE))
        .extracting(ScriptedServer.ReceivedRequest::path)
        .doesNotHaveDuplicates();
    assertThat(all.getCount()).isZero();
    go.countDown();
  }

  /** Waits whatever is said to it. */
  private static Object stubborn(CountDownLatch go) {
    while (true) {
      try {
        go.await();
        return "late";
      } catch (InterruptedException e) {
        Thread.yield();
      }
    }
  }
}
