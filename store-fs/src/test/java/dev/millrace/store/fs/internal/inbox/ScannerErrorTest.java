package dev.millrace.store.fs.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobState;
import dev.millrace.store.fs.Workspace;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.owner.FsStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An Error on the scanner's thread: it reports, and goes on. */
class ScannerErrorTest {
  @TempDir Path dir;

  private final AtomicBoolean armed = new AtomicBoolean();
  private final CountDownLatch thrown = new CountDownLatch(1);
  private CapturedLog log;

  @BeforeEach
  void captureTheLog() {
    log = CapturedLog.open();
  }

  @AfterEach
  void releaseTheLog() {
    log.close();
  }

  /** A disk that throws an Error once, at the scanner's next operation of this name. */
  private Disk failing(String operation) {
    Disk real = new RealDisk(dir);
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (_, method, arguments) -> {
              if (method.getName().equals(operation)
                  && Thread.currentThread().getName().equals("scanner")
                  && armed.compareAndSet(true, false)) {
                thrown.countDown();
                throw new StackOverflowError("injected");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private FsStore open(Disk disk) {
    Clock clock = Clock.systemUTC();
    return FsStore.tryOpen(
            new FsSettings(dir, disk, clock, new JobIdGenerator(clock, 7)::next, () -> 1L << 63))
        .orElseThrow();
  }

  private static void awaitWaiting(FsStore store, JobId id) throws InterruptedException {
    long seen = 0;
    for (int rounds = 0; store.queuePosition(id).isEmpty(); rounds++) {
      assertThat(rounds).as("job %s is not found", id).isLessThan(60);
      seen = store.awaitWork(seen, Duration.ofSeconds(1));
    }
  }

  @Test
  void jobsAreFoundAfterAnErrorWhileOneWasLookedAt() throws InterruptedException {
    try (FsStore store = open(failing("kind"))) {
      armed.set(true);
      JobId skipped = Workspace.open(dir).submitter().submit(TestJobSpecs.plain("one"));
      thrown.await();
      JobId next = Workspace.open(dir).submitter().submit(TestJobSpecs.plain("two"));
      awaitWaiting(store, next);
      store.sweep(); // tries what was skipped again
      awaitWaiting(store, skipped);
      assertThat(MonitoredThreads.dead()).doesNotContain("scanner");
    }
  }

  @Test
  void requestsAreAnsweredAfterAnErrorWhileTheyWereListed() throws InterruptedException {
    try (FsStore store = open(failing("list"))) {
      JobId id = store.submit(TestJobSpecs.plain("one"));
      armed.set(true);
      Workspace other = Workspace.open(dir);
      assertThat(other.controls().pause(id, Cause.user("anna", null)).isDone()).isTrue();
      thrown.await();
      assertThat(store.state(id)).contains(JobState.PAUSED);
      assertThat(log.lines()).anyMatch(line -> line.contains("scanning failed, and goes on"));
    }
  }
}
