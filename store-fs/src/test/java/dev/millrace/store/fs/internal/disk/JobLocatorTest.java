package dev.millrace.store.fs.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a job is that may be moving. */
class JobLocatorTest {
  @TempDir Path dir;

  /** Waits by counting. */
  private static final class CountedWaits implements Threading {
    private final AtomicInteger waits = new AtomicInteger();

    @Override
    public ReentrantLock newLock() {
      return new ReentrantLock();
    }

    @Override
    public long nanoTime() {
      return waits.get() * Duration.ofMillis(2).toNanos();
    }

    @Override
    public void sleep(Duration time) {
      waits.incrementAndGet();
    }

    @Override
    public void startInBackground(String name, Runnable work) {
      throw new UnsupportedOperationException(name);
    }
  }

  /** As after a correction of a clock that was ahead. */
  @Test
  void aDirectoryFromTheFutureDoesNotHoldUpTheSearch() throws IOException {
    WorkspaceLayout layout = new WorkspaceLayout(dir);
    Disk disk = new RealDisk(dir);
    layout.create(disk);
    FileTime future = FileTime.from(Instant.now().plus(Duration.ofDays(365)));
    for (JobState state : WorkspaceLayout.ORDER) {
      Files.setLastModifiedTime(layout.of(state), future);
    }
    CountedWaits threading = new CountedWaits();
    assertThat(JobLocator.ofOthers(disk, layout, threading).find(new JobId("1_1_1"))).isEmpty();
    assertThat(threading.waits.get()).isBetween(10, 20);
  }

  @Test
  void theOwnerDoesNotWaitToSeeThatAJobIsMissing() throws IOException {
    WorkspaceLayout layout = new WorkspaceLayout(dir);
    Disk disk = new RealDisk(dir);
    layout.create(disk); // its directories have changed just now
    CountedWaits threading = new CountedWaits();
    JobLocator locator = JobLocator.ofOwner(disk, layout, threading, new BackwardMoves());
    assertThat(locator.find(new JobId("1_1_1"))).isEmpty();
    assertThat(threading.waits).hasValue(0);
  }

  @Test
  void theOwnerFindsAJobThatMovesAgainstTheSearch() throws IOException {
    WorkspaceLayout layout = new WorkspaceLayout(dir);
    Disk real = new RealDisk(dir);
    layout.create(real);
    JobId id = new JobId("1_1_1");
    Path paused = layout.of(JobState.PAUSED, id);
    Path ready = layout.of(JobState.PENDING, id);
    real.createDirectory(paused);
    BackwardMoves moves = new BackwardMoves();
    Disk resumedMeanwhile =
        (Disk)
            Proxy.newProxyInstance(
                Disk.class.getClassLoader(),
                new Class<?>[] {Disk.class},
                (_, method, arguments) -> {
                  if (paused.equals(arguments[0]) && Files.exists(paused)) {
                    moves.run(() -> real.rename(paused, ready)); // it was not ready before
                  }
                  return method.invoke(real, arguments);
                });
    JobLocator locator = JobLocator.ofOwner(resumedMeanwhile, layout, new CountedWaits(), moves);
    assertThat(locator.find(id)).contains(JobState.PENDING);
  }
}
