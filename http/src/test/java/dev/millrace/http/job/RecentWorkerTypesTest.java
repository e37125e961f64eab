package dev.millrace.http.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The types of remote workers are known for a day, also after a restart. */
class RecentWorkerTypesTest {
  private final ManualClock clock = new ManualClock();
  private final JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(clock));
  private final AtomicInteger writes = new AtomicInteger();
  private boolean failing;
  private final JobStore counted =
      (JobStore)
          Proxy.newProxyInstance(
              JobStore.class.getClassLoader(),
              new Class<?>[] {JobStore.class},
              (_, method, arguments) -> {
                if (method.getName().equals("writeNote")) {
                  writes.incrementAndGet();
                  if (failing) {
                    throw new StoreException("disk full");
                  }
                }
                return method.invoke(store, arguments);
              });

  private final RecentWorkerTypes types = load();

  private RecentWorkerTypes load() {
    return RecentWorkerTypes.load(counted, clock);
  }

  @Test
  void typeIsKnownForADayAlsoAfterARestart() {
    types.markSeen("déployer / maintenant");
    clock.advance(RecentWorkerTypes.LIFETIME.minusSeconds(1));
    assertThat(types.recent()).containsExactly("déployer / maintenant");
    assertThat(load().recent()).containsExactly("déployer / maintenant");
    clock.advance(RecentWorkerTypes.NOTE_INTERVAL.plusSeconds(1));
    assertThat(types.recent()).isEmpty();
    assertThat(load().recent()).isEmpty();
  }

  @Test
  void pollingWritesOneNoteAnHour() {
    for (int minute = 0; minute < 150; minute++) {
      types.markSeen("resize");
      clock.advance(Duration.ofMinutes(1));
    }
    assertThat(writes).hasValue(3);
    assertThat(store.noteNames(RecentWorkerTypes.SHELF)).hasSize(1);
  }

  @Test
  void aTypeThatWasSeenOnAClockThatWasAheadIsNotKnownForEver() {
    clock.jump(Duration.ofDays(365));
    types.markSeen("resize");
    clock.jump(Duration.ofDays(-365));
    types.markSeen("resize");
    clock.advance(RecentWorkerTypes.LIFETIME.plus(RecentWorkerTypes.NOTE_INTERVAL));
    assertThat(types.recent()).isEmpty();
    assertThat(load().recent()).isEmpty();
  }

  @Test
  void expiredNotesAreDeleted() {
    types.markSeen("old");
    clock.advance(Duration.ofHours(25));
    types.markSeen("new");
    assertThat(store.noteNames(RecentWorkerTypes.SHELF)).hasSize(1);
  }

  @Test
  void numberOfTypesIsBounded() {
    for (int i = 0; i < RecentWorkerTypes.MAX_TYPES + 10; i++) {
      types.markSeen("t" + i);
    }
    assertThat(types.recent()).hasSize(RecentWorkerTypes.MAX_TYPES).doesNotContain("late");
    assertThat(writes).hasValue(RecentWorkerTypes.MAX_TYPES);
    clock.advance(RecentWorkerTypes.NOTE_INTERVAL);
    types.markSeen("late");
    assertThat(types.recent()).hasSize(RecentWorkerTypes.MAX_TYPES).contains("late");
    assertThat(store.noteNames(RecentWorkerTypes.SHELF)).hasSize(RecentWorkerTypes.MAX_TYPES);
  }

  @Test
  void failingStoreAndInvalidNotesDoNoHarm() {
    failing = true;
    types.markSeen("resize");
    types.markSeen("resize");
    assertThat(types.recent()).containsExactly("resize");
    assertThat(writes).hasValue(1);
    failing = false;
    store.writeNote(RecentWorkerTypes.SHELF, "a", "nonsense");
    store.writeNote(RecentWorkerTypes.SHELF, "b", "{\"type\":\"x\",\"at\":\"noon\"}");
    assertThat(load().recent()).isEmpty();
  }
}
