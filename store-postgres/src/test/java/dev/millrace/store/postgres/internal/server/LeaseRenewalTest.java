package dev.millrace.store.postgres.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.Database;
import java.time.Duration;
import java.util.List;
import java.util.Set;
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

  /** As after a crash of the database while nobody changed anything. */
  @Test
  void whatComesFirstAfterACrashIsAcknowledged() {
    database.update("DELETE FROM @incarnation");
    JobId id = store.submit(JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("input"))))));
    Claim claim = store.claim(new ClaimRequest(Set.of("a"), 1, "worker", null)).getFirst();
    assertThat(store.complete(claim, TaskResult.of("result"))).isEqualTo(Outcome.DONE);
    assertThat(store.state(id)).contains(JobState.COMPLETED);
  }

  @Test
  void aCrashIsNoticedWithoutAnyWork() {
    database.update("DELETE FROM @incarnation");
    while (!database.isTrue("SELECT EXISTS (SELECT FROM @incarnation)")) {
      Thread.onSpinWait();
    }
  }

  private boolean isAlive(long epoch) {
    return database.isTrue(
        "SELECT alive_until > clock_timestamp() FROM @servers WHERE epoch = ?", epoch);
  }
}
