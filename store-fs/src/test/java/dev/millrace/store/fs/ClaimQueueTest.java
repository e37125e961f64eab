package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.store.fs.ClaimQueue.Candidate;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the queue says while it is busy. */
class ClaimQueueTest {

  @Test
  void whoAsksForAPlaceAndWhoClaimsDoNotWaitForEachOther() throws Exception {
    ClaimQueue queue = new ClaimQueue();
    for (int i = 1; i <= 5; i++) {
      queue.set(
          new Candidate(i, new JobId(i + "_1_0"), i % 2 == 0 ? "a" : "b", Priority.VERY_HIGH, 1),
          true);
    }
    CountDownLatch claiming = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Set<JobId> slow =
        new HashSet<>() {
          @Override
          public boolean contains(Object id) {
            claiming.countDown();
            try {
              return !goOn.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        };
    var claim = CompletableFuture.supplyAsync(() -> queue.first(Set.of("a"), slow));
    assertThat(claiming.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(queue.ahead(new JobId("4_1_0"))).isEqualTo(3);
    assertThat(claim).as("the claim").isNotDone();
    goOn.countDown();
    assertThat(claim.get(60, TimeUnit.SECONDS)).isNotNull();

    assertThat(queue.ahead(new JobId("6_1_0"))).isEqualTo(-1);
  }
}
