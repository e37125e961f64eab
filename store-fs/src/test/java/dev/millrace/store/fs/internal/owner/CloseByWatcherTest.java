package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A watcher may close the store on any of its threads. */
@Timeout(60)
class CloseByWatcherTest extends RealWorkspaceCase {
  private final CompletableFuture<String> closedOn = new CompletableFuture<>();

  @Test
  void onTheScannersOwnThread() throws Exception {
    JobStore store = own();
    store.onChange(
        _ -> {
          store.close();
          closedOn.complete(Thread.currentThread().getName());
        });
    JobId id = workspace.submitter().submit(JobSpec.prompt("generate", "of another process"));
    assertThat(closedOn.get(30, TimeUnit.SECONDS)).isEqualTo("scanner");
    JobStore next = own();
    assertThat(next.state(id)).contains(JobState.PENDING);
    assertThat(claim(next, 2)).hasSize(1);
  }

  @Test
  void onTheScannersThreadAndInACallAtOnce() throws Exception {
    JobStore store = own();
    CountDownLatch both = new CountDownLatch(2);
    store.onChange(
        _ -> {
          both.countDown();
          awaitUninterruptibly(both);
          store.close();
        });
    workspace.submitter().submit(JobSpec.prompt("generate", "of another process"));
    await("the scanner", () -> both.getCount() == 1);
    store.submit(JobSpec.prompt("generate", "of this process"));
    assertThat(claim(own(), 3)).hasSize(2);
  }

  @Test
  void closingTwiceLeavesTheNextOwnersLockAlone() {
    JobStore store = own();
    store.close();
    JobStore next = own(); // may have the number of the closed file
    store.close();
    assertThat(workspace.own()).isEmpty();
    assertThat(next.list(JobReader.Query.all())).isEmpty();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
