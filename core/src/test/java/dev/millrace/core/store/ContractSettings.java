package dev.millrace.core.store;

import dev.millrace.core.job.IdGenerator;
import dev.millrace.core.job.JobId;
import java.time.Clock;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What a store takes from outside, so that a test can steer it. The clock and the ids live on when
 * the store is opened again.
 *
 * @param clock the only time that a store knows
 * @param ids asked once for each submission
 * @param random asked for the jitter of backoffs only
 */
public record ContractSettings(Clock clock, Supplier<JobId> ids, RandomGenerator random) {

  /** Ids of one process on {@code clock}; jitter from a fixed seed. */
  public static ContractSettings of(Clock clock) {
    return new ContractSettings(clock, new IdGenerator(clock, 7)::next, new SplittableRandom(42));
  }

  /** As {@link #of}, with every backoff in the middle of its band, whoever asks first. */
  public static ContractSettings steady(Clock clock) {
    return new ContractSettings(clock, new IdGenerator(clock, 7)::next, () -> 1L << 63);
  }
}
