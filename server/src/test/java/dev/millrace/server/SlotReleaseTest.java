package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks that wait for what is not here, and keep nobody from a slot. */
@Timeout(60)
class SlotReleaseTest {
  private final InMemoryServer mill = new InMemoryServer();
  private final CountDownLatch here = new CountDownLatch(1); // what they wait for
  private final AtomicInteger now = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final Worker far =
      Worker.of(
          "far",
          task -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            task.releaseSlotWhile(() -> here.getCount() > 0);
            try {
              here.await();
            } finally {
              now.decrementAndGet();
            }
            return task.text();
          });
  private final Worker near = Worker.of("near", TaskContext::text);

  @AfterEach
  void close() {
    mill.close();
  }

  private static String[] inputs(int count) {
    return IntStream.range(0, count).mapToObj(Integer::toString).toArray(String[]::new);
  }

  private void awaitRunning(int count) {
    await().atMost(InMemoryServer.TIMEOUT).until(() -> now.get() == count);
  }

  @Test
  void othersRunInTheirPlaceAndAllFinish() throws Exception {
    Server server = mill.start(2, far, near);
    JobId waits = mill.submit("far", inputs(20));
    awaitRunning(20);
    assertThat(mill.await(mill.submit("near", inputs(50))).status()).isEqualTo(Status.DONE);
    await().atMost(InMemoryServer.TIMEOUT).until(() -> server.status().running().size() == 20);
    here.countDown();
    assertThat(mill.await(waits).status()).isEqualTo(Status.DONE);
    assertThat(mill.await(mill.submit("far", inputs(20))).status()).isEqualTo(Status.DONE);
    server.stop();
    assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
  }

  @Test
  void whoIsOneTooManyKeepsHisSlot() throws Exception {
    mill.start(2, far, near);
    JobId waits = mill.submit("far", inputs(300));
    awaitRunning(258);
    here.countDown();
    assertThat(mill.await(waits).status()).isEqualTo(Status.DONE);
    assertThat(most).hasValue(258);
  }

  @Test
  void groupsGetTheirOwnSlotsBack() throws Exception {
    mill.start(mill.builder(near).slots(1).group(1, List.of(far)));
    JobId waits = mill.submit("far", inputs(20));
    awaitRunning(20);
    assertThat(mill.await(mill.submit("near", "x")).result()).isEqualTo("x");
    here.countDown();
    assertThat(mill.await(waits).status()).isEqualTo(Status.DONE);
  }

  @Test
  void theyCanBeAbortedAndAreTimedOut() throws Exception {
    mill.start(1, far);
    JobId aborted = mill.submit("far", "x");
    JobId late = mill.submit("far", InMemoryServer.runTimeout(Duration.ofSeconds(1)), "y");
    mill.await(aborted, () -> mill.task(aborted).state() == TaskState.IN_PROGRESS);
    mill.store.abort(aborted, Cause.user("ann", null));
    assertThat(mill.await(aborted).status()).isEqualTo(Status.CANCELLED);
    assertThat(mill.await(late).error()).contains("run timeout");
    awaitRunning(0);
  }

  @Test
  void aServerThatStopsReleasesThem() throws Exception {
    Server server = mill.start(1, new ResumableWorker("far", far::work));
    JobId job = mill.submit("far", inputs(5));
    awaitRunning(5);
    server.stop();
    assertThat(mill.task(job).state()).isEqualTo(TaskState.RETRIED);
    assertThat(mill.task(job).attempts()).isZero();
    assertThat(server.status().running()).isEmpty();
  }

  @Test
  void aServerThatDrainsWaitsForThem() throws Exception {
    JobId job = mill.submit("far", inputs(5));
    Server server = mill.keep(mill.builder(far).slots(1).build()).start();
    awaitRunning(5);
    Thread.ofVirtual().start(here::countDown);
    assertThat(server.drain()).isEqualTo(DrainResult.CLEAN);
    assertThat(mill.flow.status(job)).isEqualTo(Status.DONE);
  }
}
