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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks that wait for something outside release their slot. */
@Timeout(60)
@Tag("slow")
class SlotReleaseTest {
  private final InMemoryServer inMemory = new InMemoryServer();
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
    inMemory.close();
  }

  private static String[] inputs(int count) {
    return IntStream.range(0, count).mapToObj(Integer::toString).toArray(String[]::new);
  }

  private void awaitRunning(int count) {
    await().atMost(InMemoryServer.TIMEOUT).until(() -> now.get() == count);
  }

  @Test
  void othersUseTheReleasedSlotsAndAllFinish() throws Exception {
    Server server = inMemory.start(2, far, near);
    JobId waits = inMemory.submit("far", inputs(20));
    awaitRunning(20);
    assertThat(inMemory.await(inMemory.submit("near", inputs(50))).status()).isEqualTo(Status.DONE);
    await().atMost(InMemoryServer.TIMEOUT).until(() -> server.status().running().size() == 20);
    here.countDown();
    assertThat(inMemory.await(waits).status()).isEqualTo(Status.DONE);
    assertThat(inMemory.await(inMemory.submit("far", inputs(20))).status()).isEqualTo(Status.DONE);
    server.stop();
    assertThat(server.status().state()).isEqualTo(ServerState.STOPPED);
  }

  @Test
  void aTaskBeyondTheLimitKeepsItsSlot() throws Exception {
    ServerBuilder builder = inMemory.builder(far, near).slots(4);
    builder.maxSlotless = 30;
    inMemory.start(builder);
    JobId waits = inMemory.submit("far", inputs(50));
    awaitRunning(30 + 4);
    here.countDown();
    assertThat(inMemory.await(waits).status()).isEqualTo(Status.DONE);
    assertThat(most).hasValue(30 + 4);
  }

  @Test
  void groupsGetTheirOwnSlotsBack() throws Exception {
    inMemory.start(inMemory.builder(near).slots(1).group(1, List.of(far)));
    JobId waits = inMemory.submit("far", inputs(20));
    awaitRunning(20);
    assertThat(inMemory.await(inMemory.submit("near", "x")).result()).isEqualTo("x");
    here.countDown();
    assertThat(inMemory.await(waits).status()).isEqualTo(Status.DONE);
  }

  @Test
  void waitingTasksCanBeAbortedAndTimeOut() throws Exception {
    inMemory.start(1, far);
    JobId aborted = inMemory.submit("far", "x");
    JobId late = inMemory.submit("far", InMemoryServer.runTimeout(Duration.ofSeconds(1)), "y");
    inMemory.await(aborted, () -> inMemory.task(aborted).state() == TaskState.IN_PROGRESS);
    inMemory.store.abort(aborted, Cause.user("ann", null));
    assertThat(inMemory.await(aborted).status()).isEqualTo(Status.CANCELLED);
    assertThat(inMemory.await(late).error()).contains("run timeout");
    awaitRunning(0);
  }

  @Test
  void aStoppingServerReleasesWaitingTasks() throws Exception {
    Server server = inMemory.start(1, new ResumableWorker("far", far::work));
    JobId job = inMemory.submit("far", inputs(5));
    awaitRunning(5);
    server.stop();
    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.RETRIED);
    assertThat(inMemory.task(job).attempts()).isZero();
    assertThat(server.status().running()).isEmpty();
  }

  @Test
  void aDrainingServerWaitsForWaitingTasks() throws Exception {
    JobId job = inMemory.submit("far", inputs(5));
    Server server = inMemory.keep(inMemory.builder(far).slots(1).build()).start();
    awaitRunning(5);
    Thread.ofVirtual().start(here::countDown);
    assertThat(server.drain()).isEqualTo(DrainResult.CLEAN);
    assertThat(inMemory.flow.status(job)).isEqualTo(Status.DONE);
  }
}
