package dev.millrace.store.postgres.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.Database;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server lives while it can renew its row, whatever else waits. */
@Timeout(30)
class LeaseRenewalTest {
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final Database database = EmbeddedDatabase.migrated();
  private final PostgresStore store = open();

  private PostgresStore open() {
    ContractSettings settings = ContractSettings.of(new ManualClock());
    return PostgresStore.open(
        database,
        new StoreOptions(
            "test", settings.clock(), settings.ids(), settings.random(), true, true, LEASE));
  }

  @AfterEach
  void close() {
    store.close();
    EmbeddedDatabase.drop(database);
  }

  private boolean livesFor(Duration time) {
    return database.isTrue(
        "SELECT alive_until > clock_timestamp() AND alive_until > (SELECT min(started_at)"
            + " FROM @servers) + make_interval(secs => ?) FROM @servers WHERE epoch = ?",
        time.toMillis() / 1e3,
        store.epoch());
  }

  /** As an administrator's forgotten transaction, or one that waits behind a report. */
  @Test
  void itLivesWhileAllElseIsLocked() {
    long epoch = store.epoch();
    Duration longer = LEASE.multipliedBy(2).plusMillis(500);
    boolean lives =
        database.inTransaction(
            locks -> {
              locks.update(
                  "LOCK TABLE @counts, @unreadable_jobs, @jobs, @leader_leases IN ACCESS"
                      + " EXCLUSIVE MODE");
              while (!livesFor(longer) && isAlive(epoch)) {
                Thread.onSpinWait();
              }
              return isAlive(epoch);
            });
    assertThat(lives).isTrue();
    assertThat(store.epoch()).isEqualTo(epoch);
  }

  private boolean isAlive(long epoch) {
    return database.isTrue(
        "SELECT alive_until > clock_timestamp() FROM @servers WHERE epoch = ?", epoch);
  }
}
