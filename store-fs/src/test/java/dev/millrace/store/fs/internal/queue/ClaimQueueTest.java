package dev.millrace.store.fs.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.store.fs.internal.queue.ClaimQueue.Candidate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Claim order, and the answers of the queue under load. */
class ClaimQueueTest {
  private static final Set<String> BOTH = Set.of("a", "b");

  private final ManualClock clock = new ManualClock();

  /** Job {@code number} with that queue rank; odd ones are of type b. */
  private static Candidate candidate(int number) {
    return new Candidate(
        number,
        new JobId(number + "_1_0"),
        number % 2 == 0 ? "a" : "b",
        Priority.VERY_HIGH,
        1,
        null);
  }

  private static ClaimQueue queue(Clock clock, int jobs) {
    ClaimQueue queue = new ClaimQueue(new ProcessTimeline(clock), Threading.SYSTEM);
    for (int i = 1; i <= jobs; i++) {
      queue.put(candidate(i), true);
    }
    return queue;
  }

  private void rest(ClaimQueue queue, int number, Duration time) {
    queue.put(candidate(number).withBackoff(clock.instant().plus(time)), false);
  }

  @Test
  void iterationSurvivesRemovals() {
    ClaimQueue queue = queue(clock, 5);
    Candidate first = queue.next(BOTH, null);
    assertThat(first).isEqualTo(candidate(1));
    Candidate second = queue.next(BOTH, first);
    assertThat(second).isEqualTo(candidate(2));
    queue.drop(second);
    assertThat(queue.next(Set.of("a"), second)).isEqualTo(candidate(4));
    assertThat(queue.next(Set.of("c"), second)).isNull();
    assertThat(queue.next(BOTH, candidate(5))).isNull();
  }

  @Test
  void aJobInItsBackoffHasAPositionButIsNotNext() throws InterruptedException {
    ClaimQueue queue = queue(clock, 3);
    long seen = queue.awaitWork(0, Duration.ZERO);
    rest(queue, 1, Duration.ofMinutes(1));
    rest(queue, 2, Duration.ofMinutes(2));
    assertThat(queue.next(BOTH, null)).isEqualTo(candidate(3));
    assertThat(queue.isIdle(Set.of("a"))).as("a rests").isFalse();
    assertThat(queue.countAhead(candidate(3).id())).isEqualTo(2);
    assertThat(queue.size()).isEqualTo(3);
    assertThat(queue.awaitWork(seen, Duration.ofMillis(1))).isEqualTo(seen);
    clock.advance(Duration.ofMinutes(1));
    assertThat(queue.awaitWork(seen, Duration.ofHours(1))).as("work").isNotEqualTo(seen);
    assertThat(queue.next(BOTH, null)).isEqualTo(candidate(1));
    assertThat(queue.next(BOTH, candidate(1))).isEqualTo(candidate(3));
    queue.remove(candidate(2).id());
    assertThat(queue.isIdle(Set.of("a"))).isTrue();
  }

  @Test
  void settingTheWallClockNeitherEndsNorProlongsABackoff() {
    ClaimQueue queue = queue(clock, 2);
    rest(queue, 1, Duration.ofMinutes(1));
    clock.jump(Duration.ofHours(2));
    assertThat(queue.next(BOTH, null)).isEqualTo(candidate(2));
    clock.jump(Duration.ofHours(-3));
    assertThat(queue.next(BOTH, null)).isEqualTo(candidate(2));
    clock.advance(Duration.ofMinutes(1));
    assertThat(queue.next(BOTH, null)).isEqualTo(candidate(1));
  }

  @Test
  void aJobWithNothingToClaimIsKnownUntilItIsRemoved() {
    ClaimQueue queue = queue(clock, 1);
    JobId id = candidate(1).id();
    queue.markNothingToClaim(id);
    assertThat(queue.isKnown(id)).isTrue();
    assertThat(queue.next(BOTH, null)).isNull();
    assertThat(queue.countAhead(id)).isEqualTo(-1);
    queue.put(candidate(1), true);
    assertThat(queue.next(BOTH, null)).isEqualTo(candidate(1));
    queue.markNothingToClaim(id);
    queue.remove(id);
    assertThat(queue.isKnown(id)).isFalse();
  }

  @Test
  void readingAPositionAndClaimingDoNotBlockEachOther() throws Exception {
    CountDownLatch claiming = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicBoolean slow = new AtomicBoolean();
    ClaimQueue queue = queue(slow(slow, claiming, goOn), 5);
    slow.set(true);
    var claim = CompletableFuture.supplyAsync(() -> queue.next(Set.of("a"), null));
    assertThat(claiming.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(queue.countAhead(new JobId("4_1_0"))).isEqualTo(3);
    assertThat(claim).as("the claim").isNotDone();
    goOn.countDown();
    assertThat(claim.get(60, TimeUnit.SECONDS)).isNotNull();

    assertThat(queue.countAhead(new JobId("6_1_0"))).isEqualTo(-1);
  }

  /** A clock that blocks threads that claim. */
  private static Clock slow(AtomicBoolean slow, CountDownLatch asked, CountDownLatch goOn) {
    return new Clock() {
      @Override
      public Instant instant() {
        if (!slow.get()) {
          return ManualClock.START;
        }
        asked.countDown();
        try {
          assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
        return ManualClock.START;
      }

      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        return this;
      }
    };
  }
}
