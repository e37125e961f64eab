package dev.millrace.store.postgres.chaos;

import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.DatabaseClock;
import dev.millrace.store.postgres.internal.db.Migrations;
import dev.millrace.store.postgres.internal.server.PostgresStore;
import dev.millrace.store.postgres.internal.server.StoreOptions;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A store as a process uses it that repeats what fails until it has an answer, and joins again when
 * others have taken its place. Thread-safe.
 */
final class StoreClient implements AutoCloseable {
  private static final long PAUSE_MILLIS = 100;

  /** The faults of a database may add up. */
  private static final long MOST_NANOS = 5 * ChaosRun.PATIENCE.toNanos();

  private final ChaosHistory history;
  private final String name;
  private final Database database;
  private final boolean serves;
  private @Nullable PostgresStore store; // guarded by this

  /**
   * @param serves whether it takes over what others leave
   */
  StoreClient(ChaosHistory history, String name, String url, boolean serves) {
    this.history = history;
    this.name = name;
    this.database = Database.of(PostgresSettings.parse(url, Map.of()));
    this.serves = serves;
  }

  /**
   * An answer.
   *
   * @param sure whether there was no earlier call whose outcome is not known
   */
  record Answered<T>(T value, boolean sure) {}

  /** Creates the tables. */
  void migrate() {
    new Migrations(database).run();
  }

  /** The present store. */
  synchronized PostgresStore open() {
    PostgresStore open = store;
    if (open == null) {
      open =
          PostgresStore.open(
              database,
              new StoreOptions(
                  name,
                  DatabaseClock.of(database),
                  JobIdGenerator.forThisProcess()::next,
                  RandomGenerator.getDefault(),
                  serves,
                  true,
                  ChaosSettings.LEASE));
      store = open;
    }
    return open;
  }

  private synchronized void leave(JobStore broken) {
    if (store == broken) {
      store = null;
      Thread.ofVirtual().start(broken::close); // it may have to wait for calls that hang
    }
  }

  /** Calls until there is an answer; what concerns one job only is not repeated. */
  <T> Answered<T> ask(Function<? super PostgresStore, T> call) throws InterruptedException {
    long end = System.nanoTime() + MOST_NANOS;
    for (boolean sure = true; ; sure = false) {
      PostgresStore used = null;
      try {
        used = open();
        return new Answered<>(call.apply(used), sure);
      } catch (JobException e) {
        throw e; // it would not help
      } catch (StoreBrokenException | StoreException.Closed e) {
        history.note(name + " joins again: " + e.getMessage());
        if (used != null) {
          leave(used);
        }
      } catch (StoreException e) {
        history.note(name + " tries again: " + e.getMessage());
        if (System.nanoTime() > end) {
          throw e;
        }
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  @Override
  public void close() {
    PostgresStore open;
    synchronized (this) {
      open = store;
      store = null;
    }
    if (open != null) {
      open.close();
    }
    database.close();
  }
}
