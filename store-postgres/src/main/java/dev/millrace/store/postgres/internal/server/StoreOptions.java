package dev.millrace.store.postgres.internal.server;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.DatabaseClock;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What a store depends on beside the database.
 *
 * @param name of the server, for people
 * @param clock the store's only source of time for jobs
 * @param ids called once for each submission
 * @param random for the jitter of backoffs
 * @param serves whether it stays; else it belongs to a command that ends soon and recovers nothing
 * @param listens whether it learns at once what other servers change
 * @param lease how long others leave its tasks alone if it is silent
 */
public record StoreOptions(
    String name,
    Clock clock,
    Supplier<JobId> ids,
    RandomGenerator random,
    boolean serves,
    boolean listens,
    Duration lease) {

  public static StoreOptions of(String name, Database database, boolean serves) {
    return new StoreOptions(
        name,
        DatabaseClock.of(database),
        JobIdGenerator.forThisProcess()::next,
        RandomGenerator.getDefault(),
        serves,
        serves,
        database.settings().lease());
  }
}
