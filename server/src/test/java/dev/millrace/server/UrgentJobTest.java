package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.task.TaskState;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that must not wait for a slot: they stay urgent until they are claimed. */
@Timeout(60)
class UrgentJobTest {
  private final CountDownLatch go = new CountDownLatch(1);
  private final CountDownLatch busy = new CountDownLatch(1);

  /** Takes a slot for as long as the test likes, or none of its time. */
  private final Worker worker =
      Worker.of(
          "wait",
          task -> {
            if (task.text().equals("slow")) {
              busy.countDown();
              go.await();
            }
            return task.text();
          });

  private JobId takeTheSlot(InMemoryServer inMemory) throws InterruptedException {
    JobId slow = inMemory.submit("wait", "slow");
    assertThat(busy.await(30, TimeUnit.SECONDS)).isTrue();
    return slow;
  }

  @Test
  void anUrgentJobStartsWhileAllSlotsAreBusy() throws InterruptedException {
    try (InMemoryServer inMemory = new InMemoryServer()) {
      Server server = inMemory.start(1, worker);
      JobId slow = takeTheSlot(inMemory);
      JobId waiting = inMemory.submit("wait", "x");
      JobId urgent = inMemory.submit("wait", "x");

      server.startSoon(new JobId("1"), "wait");
      server.startSoon(urgent, "wait");
      assertThat(inMemory.await(urgent).status()).isEqualTo(Status.DONE);
      assertThat(inMemory.task(waiting).state()).isEqualTo(TaskState.PENDING);

      go.countDown();
      assertThat(inMemory.await(slow).status()).isEqualTo(Status.DONE);
      assertThat(inMemory.await(waiting).status()).isEqualTo(Status.DONE);
    }
  }

  @Test
  void anUrgentJobStaysUrgentUntilItsWorkerIsReady() throws InterruptedException {
    GatedWorker gated = new GatedWorker();
    AtomicReference<JobId> watched = new AtomicReference<>();
    AtomicInteger asked = new AtomicInteger();
    StoreInterceptor counting =
        call -> {
          if (call.name().equals("claim")
              && ((ClaimRequest) call.arguments()[0]).job() != null
              && watched.get() != null
              && watched.get().equals(((ClaimRequest) call.arguments()[0]).job())) {
            asked.incrementAndGet();
          }
          return call.proceed();
        };
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(counting))) {
      Server server = inMemory.start(1, worker, gated);
      takeTheSlot(inMemory);
      JobId job = inMemory.submit("gated", "x");
      watched.set(job);
      server.startSoon(job, "gated");
      JobId next = inMemory.submit("wait", "x");
      server.startSoon(next, "wait");
      assertThat(inMemory.await(next).status()).as("the pool has seen both").isEqualTo(Status.DONE);
      assertThat(asked).as("not in vain").hasValue(0);

      gated.becomeReady();
      assertThat(inMemory.await(job).status()).isEqualTo(Status.DONE);
      assertThat(asked).hasValue(1);
      go.countDown();
    }
  }

  @Test
  void anUrgentJobStaysUrgentUntilFewerTasksRunWithoutASlot() throws InterruptedException {
    int most = 3;
    CountDownLatch full = new CountDownLatch(most);
    Semaphore ends = new Semaphore(0);
    Worker held =
        Worker.of(
            "held",
            task -> {
              full.countDown();
              ends.acquire();
              return "";
            });
    try (InMemoryServer inMemory = new InMemoryServer()) {
      ServerBuilder builder = inMemory.builder(worker, held).slots(1);
      builder.maxSlotless = most;
      Server server = inMemory.start(builder);
      takeTheSlot(inMemory);
      for (int i = 0; i < most; i++) {
        server.startSoon(inMemory.submit("held", "x"), "held");
      }
      assertThat(full.await(30, TimeUnit.SECONDS)).isTrue();
      JobId fourth = inMemory.submit("wait", "x");
      server.startSoon(fourth, "wait");
      JobId fifth = inMemory.submit("wait", "x");
      server.startSoon(fifth, "wait");

      ends.release(1);
      assertThat(inMemory.await(fourth).status()).isEqualTo(Status.DONE);
      assertThat(inMemory.await(fifth).status()).isEqualTo(Status.DONE);
      ends.release(most);
      go.countDown();
    }
  }
}
