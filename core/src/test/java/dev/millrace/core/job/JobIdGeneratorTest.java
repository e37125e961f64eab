package dev.millrace.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.fixture.ManualClock;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class JobIdGeneratorTest {
  private final ManualClock clock = new ManualClock();
  private final JobIdGenerator generator = new JobIdGenerator(clock, 7);

  @Test
  void anIdSaysWhenAndWhereItWasMade() {
    clock.advance(Duration.ofNanos(123_456_789));
    JobId id = generator.next();
    assertThat(id.micros()).isEqualTo(ManualClock.START.getEpochSecond() * 1_000_000 + 123_456);
    assertThat(id.part(1)).isEqualTo(7);
    assertThat(id.part(2)).isZero();
    assertThat(generator.next().part(2)).isEqualTo(1);
  }

  @Test
  void idsNeverDecreaseIfTheClockIsSetBack() {
    JobId last = generator.next();
    for (int i = 0; i < 1_000; i++) {
      clock.jump(Duration.ofMillis(i % 3 == 0 ? -10_000 : i % 3 == 1 ? 0 : 4_000));
      JobId next = generator.next();
      assertThat(next).isGreaterThan(last);
      last = next;
    }
  }

  @Test
  void aCounterThatWrapsContinuesAMicrosecondLater() {
    JobId last = generator.next();
    for (int i = 0; i < 2_100_000; i++) {
      JobId next = generator.next();
      if (next.compareTo(last) <= 0 || next.value().compareTo(last.value()) <= 0) {
        assertThat(next).as("after %s", last).isGreaterThan(last);
      }
      last = next;
    }
    assertThat(last.part(2)).isEqualTo(100_000);
  }

  @Test
  void fourThreadsMakeDifferentIds() throws Exception {
    JobIdGenerator real = new JobIdGenerator(Clock.systemUTC(), 7);
    Set<JobId> all = new HashSet<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
      List<Future<List<JobId>>> futures = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        futures.add(
            pool.submit(
                () -> {
                  List<JobId> mine = new ArrayList<>();
                  for (int n = 0; n < 20_000; n++) {
                    mine.add(real.next());
                  }
                  assertThat(mine).isSorted();
                  return mine;
                }));
      }
      for (Future<List<JobId>> future : futures) {
        all.addAll(future.get());
      }
    }
    assertThat(all).hasSize(80_000);
  }
}
