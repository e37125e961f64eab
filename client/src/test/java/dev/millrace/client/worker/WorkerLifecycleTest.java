package dev.millrace.client.worker;

import static dev.millrace.client.worker.WorkerFixture.DEQUEUE;
import static dev.millrace.client.worker.WorkerFixture.LONG;
import static dev.millrace.client.worker.WorkerFixture.RELEASE;
import static dev.millrace.client.worker.WorkerFixture.STATUS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.client.ClientMetrics;
import dev.millrace.client.FakeTimeSource;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.ScriptedServer;
import dev.millrace.client.worker.WorkerEvent.CircuitBreakerClosed;
import dev.millrace.client.worker.WorkerEvent.CircuitBreakerOpened;
import dev.millrace.client.worker.WorkerEvent.QueueEmpty;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Backoff, circuit breakers, start and stop of a worker. */
class WorkerLifecycleTest {
  private final WorkerFixture fixture = new WorkerFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void emptyQueueIsPolledWithGrowingWaits() {
    FakeTimeSource time = new FakeTimeSource(5, 0.5);
    fixture.server.on(DEQUEUE, ScriptedServer.json(200, List.of()));
    fixture.start(fixture.worker(time, task -> null));

    await().atMost(LONG).until(() -> time.waits.size() == 6);
    assertThat(time.waits)
        .extracting(Duration::toMillis)
        .containsExactly(10L, 20L, 40L, 80L, 80L, 80L);
    assertThat(fixture.events(QueueEmpty.class))
        .extracting(QueueEmpty::consecutiveEmptyPolls)
        .startsWith(1, 2, 3, 4, 5, 6);
  }

  @Test
  void taskResetsTheBackoff() {
    FakeTimeSource time = new FakeTimeSource(3, 0.5);
    fixture.server.on(
        DEQUEUE,
        ScriptedServer.json(200, List.of()),
        ScriptedServer.json(200, List.of()),
        ScriptedServer.json(200, List.of(ScriptedServer.claimed(WorkerFixture.TASK))),
        ScriptedServer.json(200, List.of()));
    fixture.start(fixture.worker(time, task -> "done"));

    await().atMost(LONG).until(() -> time.waits.size() == 4);
    assertThat(time.waits).extracting(Duration::toMillis).containsExactly(10L, 20L, 10L, 20L);
  }

  @Test
  void waitOfALongPollCountsAsBackoff() {
    FakeTimeSource time = new FakeTimeSource();
    AtomicInteger polls = new AtomicInteger();
    fixture.server.on(
        DEQUEUE,
        (seen, exchange) -> {
          if (polls.incrementAndGet() > 20) {
            fixture.testEnd.await();
          }
          time.pass(Duration.ofSeconds(5));
          ScriptedServer.json(200, List.of()).answer(seen, exchange);
        });
    fixture.start(fixture.worker(time, task -> null));

    await().atMost(LONG).until(() -> polls.get() > 20);
    assertThat(time.waits).isEmpty();
  }

  @Test
  void failedPollsOpenTheBreakerUntilItsReset() {
    FakeTimeSource time = new FakeTimeSource();
    AtomicInteger polls = new AtomicInteger();
    fixture.server.on(
        DEQUEUE,
        (seen, exchange) -> {
          if (polls.incrementAndGet() > 6) {
            if (polls.get() > 7) {
              fixture.testEnd.await();
            }
            ScriptedServer.json(200, List.of()).answer(seen, exchange);
          } else {
            ScriptedServer.text(500, "{}").answer(seen, exchange);
          }
        });
    fixture.start(fixture.worker(time, task -> null));

    fixture.awaitEvent(CircuitBreakerClosed.class);
    assertThat(fixture.events(CircuitBreakerOpened.class))
        .as("opened by 5 failures, then by the failed probe")
        .containsExactly(
            new CircuitBreakerOpened("dequeueTask"), new CircuitBreakerOpened("dequeueTask"));
    assertThat(time.waits.stream().mapToLong(Duration::toMillis).sum())
        .as("two times 30 s passed")
        .isBetween(60_000L, 62_000L);
    assertThat(fixture.events(WorkerEvent.Error.class))
        .hasSize(6)
        .extracting(error -> error.location().word())
        .containsOnly("taskDequeue");
  }

  @Test
  void noTaskIsClaimedWhileTheBreakerOfTheHandlerIsOpen() {
    FakeTimeSource time = new FakeTimeSource();
    AtomicInteger calls = new AtomicInteger();
    fixture.server.on(
        DEQUEUE, ScriptedServer.json(200, List.of(ScriptedServer.claimed(WorkerFixture.TASK))));
    Worker worker =
        fixture.start(
            fixture.worker(
                time,
                task -> {
                  if (calls.incrementAndGet() <= 5) {
                    throw new IllegalStateException("the scanner is off");
                  }
                  return "done";
                }));

    fixture.awaitEvent(CircuitBreakerClosed.class);
    worker.stop(LONG);
    int opened = fixture.events.indexOf(new CircuitBreakerOpened("taskHandler"));
    int closed = fixture.events.indexOf(new CircuitBreakerClosed("taskHandler"));
    assertThat(opened).isPositive().isLessThan(closed);
    assertThat(fixture.events.subList(opened, closed))
        .filteredOn(WorkerEvent.TaskStarted.class::isInstance)
        .as("one probe")
        .hasSize(1);
    assertThat(time.nanos()).isGreaterThanOrEqualTo(Duration.ofSeconds(30).toNanos());
  }

  @Test
  void permanentFailuresDoNotOpenTheBreaker() {
    fixture.queue(20);
    fixture.start(
        fixture.worker(
            task -> {
              throw new PermanentFailure("bad input");
            }));

    await().atMost(LONG).until(() -> fixture.events(WorkerEvent.TaskFailed.class).size() == 20);
    assertThat(fixture.events(CircuitBreakerOpened.class)).isEmpty();
  }

  @Test
  void stopWaitsForRunningTasksAndClaimsNoMore() throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    fixture.queue(100);
    Worker worker =
        fixture.start(
            fixture.worker(
                task -> {
                  running.countDown();
                  go.await();
                  return "done";
                }));
    running.await();
    Thread stopper = Thread.startVirtualThread(() -> worker.stop(LONG));
    fixture.awaitEvent(WorkerEvent.Stopping.class);
    assertThat(fixture.events(WorkerEvent.Stopped.class)).isEmpty();
    go.countDown();
    stopper.join();

    assertThat(fixture.events(WorkerEvent.TaskCompleted.class)).hasSize(1);
    assertThat(fixture.events.getFirst()).isEqualTo(new WorkerEvent.Started());
    assertThat(fixture.events.getLast()).isEqualTo(new WorkerEvent.Stopped());
    assertThat(fixture.server.seen(DEQUEUE)).hasSize(1);
    assertThat(worker.active()).isZero();
  }

  @Test
  void runningTasksAreCancelledAndReleasedAfterTheGrace() throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    Worker worker =
        fixture.start(
            fixture.worker(
                task -> {
                  running.countDown();
                  new CountDownLatch(1).await();
                  return "never";
                }));
    running.await();
    worker.stop(Duration.ofMillis(10));

    assertThat(fixture.server.seen(RELEASE)).hasSize(1);
    assertThat(fixture.server.seen(RELEASE).getFirst().json().string("reason"))
        .isEqualTo("the worker stops");
    assertThat(fixture.server.seen(STATUS)).isEmpty();
    assertThat(fixture.events(WorkerEvent.TaskFailed.class)).isEmpty();
    assertThat(fixture.events.getLast()).isEqualTo(new WorkerEvent.Stopped());
  }

  @Test
  void tasksThatArriveDuringTheStopAreReleased() throws InterruptedException {
    CountDownLatch polled = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    fixture.server.on(
        DEQUEUE,
        (seen, exchange) -> {
          polled.countDown();
          answer.await();
          ScriptedServer.json(200, List.of(ScriptedServer.claimed(WorkerFixture.TASK)))
              .answer(seen, exchange);
        });
    Worker worker = fixture.start(fixture.worker(task -> "never"));
    polled.await();
    Thread stopper = Thread.startVirtualThread(() -> worker.stop(LONG));
    fixture.awaitEvent(WorkerEvent.Stopping.class);
    answer.countDown();
    stopper.join();

    assertThat(fixture.server.seen(RELEASE)).hasSize(1);
    assertThat(fixture.events(WorkerEvent.TaskStarted.class)).isEmpty();
  }

  @Test
  void workerStartsOnceAndStopsRepeatedly() {
    Worker worker = fixture.start(fixture.worker(task -> null));
    fixture.testEnd.countDown();
    assertThatThrownBy(worker::start).isInstanceOf(IllegalStateException.class);
    worker.close();
    worker.close();
    assertThat(fixture.events(WorkerEvent.Stopped.class)).hasSize(1);
    assertThatThrownBy(worker::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void metricsHaveTheNamesOfJobnik() {
    PrometheusRegistry registry = new PrometheusRegistry();
    try (MillraceClient client =
        MillraceClient.builder(fixture.server.uri()).metrics(ClientMetrics.in(registry)).build()) {
      Worker worker =
          Worker.builder(client, "resize", task -> "done").listener(fixture.events::add).build();
      worker.start();
      fixture.awaitEvent(WorkerEvent.TaskCompleted.class);
      assertThat(registry.scrape().stream().map(one -> one.getMetadata().getName()))
          .contains(
              "jobnik_sdk_worker_task_duration_seconds",
              "jobnik_sdk_worker_tasks_completed",
              "jobnik_sdk_worker_tasks_failed",
              "jobnik_sdk_worker_tasks_active",
              "jobnik_sdk_worker_circuit_breaker_state",
              "jobnik_sdk_worker_circuit_breaker_opens",
              "jobnik_sdk_worker_consecutive_empty_polls",
              "jobnik_sdk_worker_uptime_seconds",
              "jobnik_sdk_consumer_dequeue_duration_seconds",
              "jobnik_sdk_consumer_task_update_duration_seconds",
              "jobnik_sdk_consumer_task_updates",
              "jobnik_sdk_producer_job_create_duration_seconds",
              "jobnik_sdk_producer_stage_create_duration_seconds",
              "jobnik_sdk_producer_task_create_duration_seconds",
              "jobnik_sdk_producer_operations",
              "jobnik_sdk_http_request_duration_seconds",
              "jobnik_sdk_http_retries",
              "jobnik_sdk");
      MetricSnapshot completed =
          registry.scrape("jobnik_sdk_worker_tasks_completed"::equals).get(0);
      assertThat(completed.getDataPoints().getFirst().getLabels().get("stage_type"))
          .isEqualTo("resize");
      fixture.testEnd.countDown();
      worker.close();
    }
  }
}
