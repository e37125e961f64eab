package dev.millrace.core.job;

import java.time.Clock;
import java.time.Instant;

/** Makes ids that are unique in this process and never decrease, even if the clock is set back. */
public final class JobIdGenerator {
  private final Clock clock;
  private final long process;
  private long last;
  private int counter;

  public JobIdGenerator(Clock clock, long process) {
    this.clock = clock;
    this.process = process;
  }

  /**
   * The generator of this process, on the system clock. There is only one: two could make the same
   * id.
   */
  public static JobIdGenerator forThisProcess() {
    return OfProcess.GENERATOR;
  }

  private static final class OfProcess {
    private static final JobIdGenerator GENERATOR =
        new JobIdGenerator(Clock.systemUTC(), ProcessHandle.current().pid());
  }

  public synchronized JobId next() {
    Instant now = clock.instant();
    long micros = now.getEpochSecond() * 1_000_000L + now.getNano() / 1_000;
    last = Math.max(last, micros);
    JobId id = JobId.of(last, process, counter);
    counter = (counter + 1) % 1_000_000;
    if (counter == 0) {
      last++;
    }
    return id;
  }
}
