package dev.millrace.http.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.http.search.IndexUpdater.Intervals;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The index while the store fails, is busy, or has more jobs than the index keeps. */
@Timeout(60)
class IndexUpdaterTest {
  private static final Intervals FAST =
      new Intervals(Duration.ofMillis(1), Duration.ofHours(1), Duration.ofHours(1));

  private final JobStore store =
      new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC()));
  private final JobIndex index = new JobIndex(1_000);
  private volatile Runnable beforeRead = () -> {};
  private volatile Set<String> failing = Set.of();

  @AfterEach
  void close() {
    store.close();
  }

  private JobStore watched() {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              if (failing.contains(method.getName())) {
                throw new StoreException("broken for the test", null, Trouble.FAILING);
              }
              if (method.getName().equals("find")) {
                beforeRead.run();
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private JobId submit(String prompt) {
    return store.submit(JobSpec.prompt("generate", prompt));
  }

  private IndexUpdater searched() {
    IndexUpdater updater = new IndexUpdater(watched(), index, 1_000, FAST);
    updater.searched();
    return updater;
  }

  @Test
  void aStoreThatCannotBeListedLeavesTheIndexIncomplete() {
    failing = Set.of("list");
    JobId known = submit("a");
    try (IndexUpdater updater = searched()) {
      store.abort(known, Cause.SYSTEM); // read, though the listing failed
      await().until(() -> index.find(known) != null);
      await().during(Duration.ofMillis(50)).until(() -> !updater.isFilled());
      failing = Set.of();
      await().until(updater::isFilled);
    }
  }

  @Test
  void jobsThatCouldNotBeReadAreReadWhenTheStoreWorksAgain() {
    JobId id = submit("a");
    try (IndexUpdater updater = searched()) {
      await().until(updater::isFilled);
      failing = Set.of("find");
      store.abort(id, Cause.SYSTEM);
      await().until(() -> !updater.isFilled());
      failing = Set.of();
      await().until(updater::isFilled);
      IndexedJob job = index.find(id);
      assertThat(job).isNotNull();
      assertThat(job.state()).isEqualTo(JobState.ABORTED);
    }
  }

  @Test
  void jobsThatChangeAllTheTimeDoNotKeepOthersFromBeingRead() {
    List<JobId> busy = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      submit("quiet " + i);
    }
    for (int i = 0; i < 100; i++) {
      busy.add(submit("busy " + i));
    }
    AtomicInteger turn = new AtomicInteger();
    // more changes than reads: two jobs change before each read
    beforeRead =
        () -> {
          for (int i = 0; i < 2; i++) {
            JobId id = busy.get(turn.getAndIncrement() % busy.size());
            if (turn.get() % 200 < 100) {
              store.pause(id, Cause.SYSTEM);
            } else {
              store.resume(id, Cause.SYSTEM);
            }
          }
        };
    try (IndexUpdater updater = searched()) {
      await().until(updater::isFilled);
      assertThat(index.size()).isEqualTo(300);
      beforeRead = () -> {};
    }
  }

  @Test
  void aJobThatIsLeftOutIsCountedOnce() {
    JobIndex small = new JobIndex(2);
    List<IndexedJob> jobs = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      jobs.add(IndexedJob.unreadable(new JobId(i + "000000_1_0"), JobState.FAILED, "x"));
    }
    jobs.forEach(small::put);
    assertThat(small.leftOut()).isEqualTo(1);
    small.put(jobs.getFirst());
    small.put(jobs.getFirst());
    assertThat(small.leftOut()).isEqualTo(1);
    assertThat(small.find(jobs.getFirst().id())).isNull();
    assertThat(small.size()).isEqualTo(2);
  }
}
