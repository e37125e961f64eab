package dev.millrace.store.fs.internal.nonowner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Fact;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A command whose clock differs from that of the owner sends its request again. */
@Timeout(60)
class SenderClockTest extends RealWorkspaceCase {
  private static final Duration BEHIND = Duration.ofHours(2);

  private final SteppedClock clock = new SteppedClock();
  private JobId id;

  /** Behind for the first requests, then right. */
  private static final class SteppedClock extends Clock {
    private final AtomicInteger asked = new AtomicInteger();
    private int wrong;

    @Override
    public Instant instant() {
      Instant now = Instant.now();
      return asked.incrementAndGet() > wrong ? now : now.minus(BEHIND);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  /** Real, but its pauses pass faster: each adds to the time that is measured. */
  private static final class FastThreading implements Threading {
    private volatile long ahead;

    @Override
    public ReentrantLock newLock() {
      return SYSTEM.newLock();
    }

    @Override
    public long nanoTime() {
      return SYSTEM.nanoTime() + ahead;
    }

    @Override
    public void sleep(Duration time) throws InterruptedException {
      SYSTEM.sleep(Duration.ofMillis(1));
      ahead += time.toNanos();
    }

    @Override
    public void startInBackground(String name, Runnable work) {
      SYSTEM.startInBackground(name, work);
    }
  }

  private NonOwnerControls controls() {
    JobIdGenerator ids = new JobIdGenerator(Clock.systemUTC(), 9);
    return new NonOwnerControls(
        new FsSettings(root, new RealDisk(root), clock, ids::next, () -> 1L << 63)
            .withThreading(new FastThreading()));
  }

  @BeforeEach
  void ownAndSubmit() {
    id = own().submit(JobSpec.prompt("generate", "hello"));
  }

  @Test
  void aRequestIsCarriedOutOnceTheClocksAgree() {
    clock.wrong = 4;
    assertThat(controls().pause(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(clock.asked.get()).isEqualTo(5);
    assertThat(workspace.reader().state(id)).contains(JobState.PAUSED);
    assertThat(workspace.reader().events(id, 0, 10))
        .filteredOn(entry -> entry.fact() instanceof Fact.JobChanged)
        .hasSize(1);
    assertThat(log.lines()).hasSize(1).allMatch(line -> line.contains("is too old by this"));
  }

  @Test
  void aClockThatStaysWrongCausesFewRequestsAndAClearError() {
    clock.wrong = Integer.MAX_VALUE;
    assertThatThrownBy(() -> controls().pause(id, SimulatedStore.ANNA))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("do the clocks of the two machines differ?");
    assertThat(clock.asked.get()).isLessThan(30);
    assertThat(log.lines()).hasSize(1);
    assertThat(workspace.reader().list(JobReader.Query.all())).containsExactly(id);
  }
}
