package dev.millrace.client.worker;

import static dev.millrace.client.worker.WorkerFixture.DEQUEUE;
import static dev.millrace.client.worker.WorkerFixture.LONG;
import static dev.millrace.client.worker.WorkerFixture.RELEASE;
import static dev.millrace.client.worker.WorkerFixture.STATUS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.client.FakeTimeSource;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.ScriptedServer;
import dev.millrace.client.SdkMetrics;
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

/** A worker's own life: backing off, breakers, stopping. */
class WorkerLifecycleTest {
  private final WorkerFixture bench = new WorkerFixture();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void emptyQueueIsAskedLessAndLessOften() {
    FakeTimeSource timing = new FakeTimeSource(5, 0.5);
    bench.api.on(DEQUEUE, ScriptedServer.json(200, List.of()));
    bench.start(bench.worker(timing, task -> null));

    await().atMost(LONG).until(() -> timing.waits.size() == 6);
    assertThat(timing.waits)
        .extracting(Duration::toMillis)
        .containsExactly(10L, 20L, 40L, 80L, 80L, 80L);
    assertThat(bench.told(QueueEmpty.class))
        .extracting(QueueEmpty::consecutiveEmptyPolls)
        .startsWith(1, 2, 3, 4, 5, 6);
  }

  @Test
  void taskResetsTheBackoff() {
    FakeTimeSource timing = new FakeTimeSource(3, 0.5);
    bench.api.on(
        DEQUEUE,
        ScriptedServer.json(200, List.of()),
        ScriptedServer.json(200, List.of()),
        ScriptedServer.json(200, List.of(ScriptedServer.claimed(WorkerFixture.TASK))),
        ScriptedServer.json(200, List.of()));
    bench.start(bench.worker(timing, task -> "done"));

    await().atMost(LONG).until(() -> timing.waits.size() == 4);
    assertThat(timing.waits).extracting(Duration::toMillis).containsExactly(10L, 20L, 10L, 20L);
  }

  @Test
  void pollThatWaitedAtTheServerHasWaitedEnough() {
    FakeTimeSource timing = new FakeTimeSource();
    AtomicInteger polls = new AtomicInteger();
    bench.api.on(
        DEQUEUE,
        (seen, exchange) -> {
          if (polls.incrementAndGet() > 20) {
            bench.over.await();
          }
          timing.pass(Duration.ofSeconds(5));
          ScriptedServer.json(200, List.of()).answer(seen, exchange);
        });
    bench.start(bench.worker(timing, task -> null));

    await().atMost(LONG).until(() -> polls.get() > 20);
    assertThat(timing.waits).isEmpty();
  }

  @Test
  void failingPollsOpenTheBreakerWhichClosesAfterItsReset() {
    FakeTimeSource timing = new FakeTimeSource();
    AtomicInteger polls = new AtomicInteger();
    bench.api.on(
        DEQUEUE,
        (seen, exchange) -> {
          if (polls.incrementAndGet() > 6) {
            if (polls.get() > 7) {
              bench.over.await();
            }
            ScriptedServer.json(200, List.of()).answer(seen, exchange);
          } else {
            ScriptedServer.text(500, "{}").answer(seen, exchange);
          }
        });
    bench.start(bench.worker(timing, task -> null));

    bench.awaitTold(CircuitBreakerClosed.class);
    assertThat(bench.told(CircuitBreakerOpened.class))
        .as("opened by 5 failures, again by the one that was let through")
        .containsExactly(
            new CircuitBreakerOpened("dequeueTask"), new CircuitBreakerOpened("dequeueTask"));
    assertThat(timing.waits.stream().mapToLong(Duration::toMillis).sum())
        .as("two times 30 s passed")
        .isBetween(60_000L, 62_000L);
    assertThat(bench.told(WorkerEvent.Error.class))
        .hasSize(6)
        .extracting(error -> error.location().word())
        .containsOnly("taskDequeue");
  }

  @Test
  void failingHandlerOpensItsBreakerAndNoTaskIsClaimedMeanwhile() {
    FakeTimeSource timing = new FakeTimeSource();
    AtomicInteger calls = new AtomicInteger();
    bench.api.on(
        DEQUEUE, ScriptedServer.json(200, List.of(ScriptedServer.claimed(WorkerFixture.TASK))));
    Worker worker =
        bench.start(
            bench.worker(
                timing,
                task -> {
                  if (calls.incrementAndGet() <= 5) {
                    throw new IllegalStateException("the scanner is off");
                  }
                  return "done";
                }));

    bench.awaitTold(CircuitBreakerClosed.class);
    worker.stop(LONG);
    int opened = bench.events.indexOf(new CircuitBreakerOpened("taskHandler"));
    int closed = bench.events.indexOf(new CircuitBreakerClosed("taskHandler"));
    assertThat(opened).isPositive().isLessThan(closed);
    assertThat(bench.events.subList(opened, closed))
        .filteredOn(WorkerEvent.TaskStarted.class::isInstance)
        .as("one probe")
        .hasSize(1);
    assertThat(timing.nanos()).isGreaterThanOrEqualTo(Duration.ofSeconds(30).toNanos());
  }

  @Test
  void permanentFailuresOpenNothing() {
    bench.queue(20);
    bench.start(
        bench.worker(
            task -> {
              throw new PermanentFailure("bad input");
            }));

    await().atMost(LONG).until(() -> bench.told(WorkerEvent.TaskFailed.class).size() == 20);
    assertThat(bench.told(CircuitBreakerOpened.class)).isEmpty();
  }

  @Test
  void stopLetsWhatRunsFinishAndClaimsNoMore() throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    bench.queue(100);
    Worker worker =
        bench.start(
            bench.worker(
                task -> {
                  running.countDown();
                  go.await();
                  return "done";
                }));
    running.await();
    Thread stopper = Thread.startVirtualThread(() -> worker.stop(LONG));
    bench.awaitTold(WorkerEvent.Stopping.class);
    assertThat(bench.told(WorkerEvent.Stopped.class)).isEmpty();
    go.countDown();
    stopper.join();

    assertThat(bench.told(WorkerEvent.TaskCompleted.class)).hasSize(1);
    assertThat(bench.events.getFirst()).isEqualTo(new WorkerEvent.Started());
    assertThat(bench.events.getLast()).isEqualTo(new WorkerEvent.Stopped());
    assertThat(bench.api.seen(DEQUEUE)).hasSize(1);
    assertThat(worker.active()).isZero();
  }

  @Test
  void afterTheGraceWhatRunsIsCancelledAndGivenBack() throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    Worker worker =
        bench.start(
            bench.worker(
                task -> {
                  running.countDown();
                  new CountDownLatch(1).await();
                  return "never";
                }));
    running.await();
    worker.stop(Duration.ofMillis(10));

    assertThat(bench.api.seen(RELEASE)).hasSize(1);
    assertThat(bench.api.seen(RELEASE).getFirst().json().string("reason"))
        .isEqualTo("the worker stops");
    assertThat(bench.api.seen(STATUS)).isEmpty();
    assertThat(bench.told(WorkerEvent.TaskFailed.class)).isEmpty();
    assertThat(bench.events.getLast()).isEqualTo(new WorkerEvent.Stopped());
  }

  @Test
  void tasksThatArriveWhileStoppingAreGivenBack() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    bench.api.on(
        DEQUEUE,
        (seen, exchange) -> {
          asked.countDown();
          answer.await();
          ScriptedServer.json(200, List.of(ScriptedServer.claimed(WorkerFixture.TASK)))
              .answer(seen, exchange);
        });
    Worker worker = bench.start(bench.worker(task -> "never"));
    asked.await();
    Thread stopper = Thread.startVirtualThread(() -> worker.stop(LONG));
    bench.awaitTold(WorkerEvent.Stopping.class);
    answer.countDown();
    stopper.join();

    assertThat(bench.api.seen(RELEASE)).hasSize(1);
    assertThat(bench.told(WorkerEvent.TaskStarted.class)).isEmpty();
  }

  @Test
  void workerIsStartedOnceAndStoppedAsOftenAsOneLikes() {
    Worker worker = bench.start(bench.worker(task -> null));
    bench.over.countDown();
    assertThatThrownBy(worker::start).isInstanceOf(IllegalStateException.class);
    worker.close();
    worker.close();
    assertThat(bench.told(WorkerEvent.Stopped.class)).hasSize(1);
    assertThatThrownBy(worker::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void everythingIsCountedUnderJobniksNames() {
    PrometheusRegistry registry = new PrometheusRegistry();
    try (MillraceClient client =
        MillraceClient.builder(bench.api.uri()).metrics(SdkMetrics.in(registry)).build()) {
      Worker worker =
          Worker.builder(client, "resize", task -> "done").listener(bench.events::add).build();
      worker.start();
      bench.awaitTold(WorkerEvent.TaskCompleted.class);
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
      bench.over.countDown();
      worker.close();
    }
  }
}
