package dev.millrace.core.internal.count;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.store.stats.StatusCounts.QueueGroup;
import dev.millrace.core.store.stats.StatusCounts.StageGroup;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StatusCounterTest {
  private static final Instant START = Instant.parse("2026-03-01T08:00:00Z");

  private final StatusCounter counter = new StatusCounter();

  private static JobId id(int number) {
    return new JobId("1772352000000000_7_" + number);
  }

  private static JobCounts waiting(String type, Instant created) {
    JobFold fold =
        JobFold.created(JobPlan.of(JobSpec.prompt(type, "x"), created), TransitionListener.IGNORED);
    fold.apply(new LogEntry(1, created, new Fact.Submitted()));
    return JobCounts.of(fold, fold.state(), Priority.MEDIUM);
  }

  private long jobs() {
    return counter.counts(true).jobs().values().stream().mapToLong(n -> n).sum();
  }

  @Test
  void jobCountsOnceHoweverOftenItIsReported() {
    counter.put(id(1), waiting("a", START));
    counter.put(id(1), waiting("a", START));
    assertThat(counter.putIfAbsent(id(1), waiting("b", START))).isFalse();
    assertThat(counter.counts(true).stages())
        .isEqualTo(Map.of(new StageGroup(StageState.PENDING, "a"), 1L));
    counter.put(id(1), waiting("b", START));
    assertThat(counter.counts(true).stages())
        .isEqualTo(Map.of(new StageGroup(StageState.PENDING, "b"), 1L));
    counter.remove(id(1));
    counter.remove(id(1));
    StatusCounts none = counter.counts(true);
    assertThat(none.jobs()).isEmpty();
    assertThat(none.tasks()).isEmpty();
    assertThat(none.oldest()).isEmpty();
    assertThat(counter.sizes()).isEqualTo("0 jobs, 0 shapes");
  }

  @Test
  void oldestIsTheFirstThatStillWaits() {
    QueueGroup group = new QueueGroup("a", Priority.MEDIUM);
    for (int i = 0; i < 3; i++) {
      counter.put(id(i), waiting("a", START.plusSeconds(10L * i)));
    }
    assertThat(counter.counts(true).oldest()).isEqualTo(Map.of(group, START));
    counter.put(id(0), JobCounts.unreadable(JobState.COMPLETED));
    counter.remove(id(1));
    assertThat(counter.counts(true).oldest()).isEqualTo(Map.of(group, START.plusSeconds(20)));
  }

  @Test
  void typesBeyondTheFirstThousandAreCountedTogether() {
    for (int i = 0; i < 1_200; i++) {
      counter.put(id(i), waiting("type-" + i, START));
    }
    assertThat(counter.counts(true).stages())
        .hasSize(1_001)
        .containsEntry(new StageGroup(StageState.PENDING, StatusCounts.OTHER_TYPES), 200L);
    for (int i = 0; i < 1_200; i++) {
      counter.remove(id(i));
    }
    assertThat(counter.counts(true).stages()).isEmpty();
  }

  /** The table finds what a map finds, while it grows and shrinks. */
  @Test
  void tableHoldsWhatAMapHolds() {
    SplittableRandom random = new SplittableRandom(7);
    Map<JobId, String> expected = new HashMap<>();
    for (int step = 0; step < 40_000; step++) {
      JobId id = id(random.nextInt(8_000));
      boolean add = random.nextInt(10) < (step < 15_000 ? 8 : 1); // it grows, then shrinks
      if (add) {
        String type = "type-" + random.nextInt(5);
        counter.put(id, waiting(type, START));
        expected.put(id, type);
      } else {
        counter.remove(id);
        expected.remove(id);
      }
    }
    assertThat(jobs()).isEqualTo(expected.size());
    for (int i = 0; i < 8_000; i++) {
      assertThat(counter.contains(id(i))).as("job %s", i).isEqualTo(expected.containsKey(id(i)));
    }
    for (String type : Set.copyOf(expected.values())) {
      assertThat(counter.counts(true).stages())
          .containsEntry(
              new StageGroup(StageState.PENDING, type),
              expected.values().stream().filter(type::equals).count());
    }
  }
}
