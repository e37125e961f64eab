package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An owner notices that its disk takes no writes, although nobody writes. */
class WriteCheckTest {
  @TempDir Path dir;

  private final SteppedTime time = new SteppedTime();
  private final CapturedLog log = CapturedLog.open();
  private volatile boolean readOnly;

  @AfterEach
  void closeLog() {
    log.close();
  }

  private Disk disk() {
    RealDisk real = new RealDisk(dir);
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (_, method, arguments) -> {
              if (readOnly && method.getName().startsWith("write")) {
                throw new FileSystemException(
                    arguments[0].toString(), null, "Read-only file system");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private FsSettings settings() {
    return new FsSettings(
            dir, disk(), Clock.systemUTC(), JobIdGenerator.forThisProcess()::next, () -> 1L << 63)
        .withThreading(time);
  }

  @Test
  void anIdleStoreFailsAndWorksAgainWithOneLineOfTheLogEach() {
    try (FsStore store = FsStore.tryOpen(settings()).orElseThrow()) {
      readOnly = true;
      time.step(WriteCheck.INTERVAL);
      store.sweep();
      assertThat(store.health().trouble()).isEqualTo(Trouble.READ_ONLY);
      time.step(WriteCheck.INTERVAL);
      store.sweep();

      readOnly = false;
      time.step(Duration.ofSeconds(2));
      store.sweep();
      assertThat(store.health().trouble()).isNull();
      assertThat(log.lines())
          .filteredOn(line -> line.startsWith("the store"))
          .satisfiesExactly(
              begins -> assertThat(begins).contains("nothing can be written", "Read-only"),
              ends -> assertThat(ends).startsWith("the store works again after 32 s"));
      assertThat(dir.resolve(".millrace/trial")).doesNotExist();
    }
  }

  @Test
  void theCheckWritesAtItsIntervalOnly() {
    try (FsStore store = FsStore.tryOpen(settings()).orElseThrow()) {
      readOnly = true;
      time.step(WriteCheck.INTERVAL.minusSeconds(1));
      store.sweep();
      assertThat(store.health().trouble()).isNull();
    }
  }

  /** The system's threads and a time that a test steps. */
  private static final class SteppedTime implements Threading {
    private volatile long now;

    void step(Duration by) {
      now += by.toNanos();
    }

    @Override
    public ReentrantLock newLock() {
      return SYSTEM.newLock();
    }

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void sleep(Duration time) throws InterruptedException {
      SYSTEM.sleep(time);
    }

    @Override
    public void startInBackground(String name, Runnable work) {
      SYSTEM.startInBackground(name, work);
    }
  }
}
