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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A worker with threads, servers and handlers that fail. */
@Tag("slow")
class WorkerFaultsTest {
  private final WorkerFixture fixture = new WorkerFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void taskIsReleasedWhenNoThreadCanBeStarted() {
    fixture.queue(5);
    AtomicInteger threads = new AtomicInteger();
    fixture.start(
        fixture
            .worker(task -> "done")
            .handlerBreaker(BreakerSettings.DEFAULT.volume(1))
            .threads(
                run -> {
                  if (threads.incrementAndGet() <= 3) {
                    throw new IllegalStateException("no thread");
                  }
                  return Thread.ofVirtual().unstarted(run);
                }));

    await().atMost(LONG).until(() -> fixture.events(WorkerEvent.TaskCompleted.class).size() == 2);
    assertThat(fixture.server.seen(RELEASE))
        .hasSize(3)
        .allSatisfy(
            one ->
                assertThat(one.json().string("reason"))
                    .isEqualTo("the worker could not start a thread"));
  }

  @Test
  void anErrorOfTheListenerStopsNeitherTasksNorHeartbeats() {
    fixture.server.on(HEARTBEAT, ScriptedServer.text(500, "{}"));
    fixture.start(
        fixture
            .worker(
                task -> {
                  await().atMost(LONG).until(() -> fixture.server.seen(HEARTBEAT).size() >= 3);
                  return "done";
                })
            .listener(
                _ -> {
                  throw new StackOverflowError("simulated");
                }));
    assertThat(fixture.report().string("status")).isEqualTo("COMPLETED");
  }

  @Test
  void failedPollAlwaysEndsItsBreakerCall() {
    FakeTimeSource time = new FakeTimeSource();
    AtomicInteger traces = new AtomicInteger();
    fixture.server.on(
        DEQUEUE,
        ScriptedServer.text(500, "{}"),
        ScriptedServer.json(200, List.of(ScriptedServer.claimed(TASK))),
        ScriptedServer.after(fixture.testEnd, ScriptedServer.json(200, List.of())));
    try (MillraceClient client =
            fixture
                .server
                .builder(time)
                .trace(
                    () -> {
                      if (traces.incrementAndGet()
                          == 2) { // the call that the half-open breaker lets through
                        throw new IllegalStateException("no trace");
                      }
                      return null;
                    })
                .build();
        Worker worker =
            Worker.builder(client, "resize", task -> "done")
                .dequeueBreaker(BreakerSettings.DEFAULT.volume(1))
                .listener(fixture.events::add)
                .build()) {
      worker.start();
      fixture.awaitEvent(WorkerEvent.TaskCompleted.class);
      fixture.testEnd.countDown();
    }
    assertThat(fixture.events(WorkerEvent.CircuitBreakerOpened.class)).hasSize(2);
    assertThat(fixture.events(WorkerEvent.Error.class))
        .extracting(WorkerEvent.Error::location)
        .containsExactly(Location.TASK_DEQUEUE, Location.TASK_DEQUEUE);
  }

  @Test
  void heartbeatThatHangsIsFollowedByAnother() {
    CountDownLatch never = new CountDownLatch(1);
    fixture.server.on(
        HEARTBEAT, ScriptedServer.stream(never, "{"), WorkerFixture.heartbeat(true, false));
    fixture.start(
        fixture.worker(
            task -> {
              new CountDownLatch(1).await();
              return "never";
            }));

    fixture.awaitEvent(WorkerEvent.TaskDropped.class);
    assertThat(fixture.events(WorkerEvent.Error.class))
        .extracting(WorkerEvent.Error::location)
        .containsExactly(Location.HEARTBEAT);
  }

  @Test
  void leaseCountsFromTheStartOfThePoll() {
    FakeTimeSource time = new FakeTimeSource();
    fixture.server.on(
        DEQUEUE,
        (seen, exchange) -> {
          time.pass(Duration.ofSeconds(10));
          ScriptedServer.json(200, List.of(ScriptedServer.claimed(TASK))).answer(seen, exchange);
        },
        ScriptedServer.after(fixture.testEnd, ScriptedServer.json(200, List.of())));
    fixture.start(
        fixture
            .worker(time, task -> task.leaseLeft().toSeconds())
            .heartbeat(Duration.ofSeconds(30)));

    assertThat(fixture.report().get("result")).isEqualTo(50L);
  }

  @Test
  void claimAfterALongPollIsRenewedAtOnce() {
    FakeTimeSource time = new FakeTimeSource();
    fixture.server.on(
        DEQUEUE,
        (seen, exchange) -> {
          time.pass(Duration.ofSeconds(59));
          ScriptedServer.json(200, List.of(ScriptedServer.claimed(TASK))).answer(seen, exchange);
        },
        ScriptedServer.after(fixture.testEnd, ScriptedServer.json(200, List.of())));
    fixture.start(
        fixture
            .worker(
                time,
                task -> {
                  await().atMost(LONG).until(() -> task.leaseLeft().toSeconds() == 60);
                  return "renewed";
                })
            .heartbeat(Duration.ofSeconds(30)));

    assertThat(fixture.report().get("result")).isEqualTo("renewed");
  }

  @Test
  void tasksOfHandlersThatIgnoreInterruptsAreReleasedInParallel() {
    int tasks = 8;
    fixture.server.on(
        DEQUEUE,
        ScriptedServer.json(
            200,
            IntStream.range(0, tasks)
                .mapToObj(i -> ScriptedServer.claimed(new UUID(3, i)))
                .toList()),
        ScriptedServer.after(fixture.testEnd, ScriptedServer.json(200, List.of())));
    CountDownLatch all = new CountDownLatch(tasks);
    fixture.server.on(
        RELEASE,
        (seen, exchange) -> {
          all.countDown();
          all.await(); // sequential releases would never get past this
          ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create()))
              .answer(seen, exchange);
        });
    CountDownLatch go = new CountDownLatch(1);
    Worker worker = fixture.start(fixture.worker(task -> ignoreInterrupts(go)).concurrency(tasks));
    await().atMost(LONG).until(() -> worker.active() == tasks);
    long start = System.nanoTime();
    worker.stop(Duration.ofMillis(10));

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    assertThat(fixture.server.seen(RELEASE))
        .extracting(ScriptedServer.ReceivedRequest::path)
        .doesNotHaveDuplicates();
    assertThat(all.getCount()).isZero();
    go.countDown();
  }

  /** Ignores interrupts. */
  private static Object ignoreInterrupts(CountDownLatch go) {
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
