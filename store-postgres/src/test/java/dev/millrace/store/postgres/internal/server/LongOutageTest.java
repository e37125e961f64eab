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
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.fixture.FaultyProxy;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The database is away for longer than the lease of the only server, which goes on afterwards. */
@Timeout(60)
class LongOutageTest {
  private final Database database = EmbeddedDatabase.migrated();
  private final FaultyProxy proxy = new FaultyProxy(EmbeddedDatabase.port());
  private final Database behindProxy = Database.of(settings());
  private final PostgresStore store =
      PostgresStore.open(behindProxy, StoreOptions.of("test", behindProxy, true));

  LongOutageTest() throws IOException {}

  private PostgresSettings settings() {
    return PostgresSettings.parse(
        "postgresql://postgres@localhost:%d/postgres?lease=2&schema=%s"
            .formatted(proxy.port(), database.settings().schema()),
        Map.of());
  }

  @AfterEach
  void close() throws IOException {
    store.close();
    behindProxy.close();
    proxy.close();
    EmbeddedDatabase.drop(database);
  }

  private List<Claim> claim() {
    return store.claim(new ClaimRequest(Set.of("a"), 1, "worker", null));
  }

  private void endLease() {
    String over = "SELECT alive_until < now() FROM @servers WHERE epoch = ?";
    while (!database.isTrue(over, store.epoch())) {
      Thread.onSpinWait();
    }
  }

  /** As a server that goes on sweeping and claiming, whatever that says. */
  private Claim awaitClaim() {
    while (true) {
      try {
        store.sweep();
        List<Claim> claims = claim();
        if (!claims.isEmpty()) {
          return claims.getFirst();
        }
      } catch (StoreException e) {
        Thread.onSpinWait(); // it is not there yet
      }
    }
  }

  @Test
  void theServerJoinsAgainAndRepeatsItsTask() {
    JobId id = store.submit(JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("input"))))));
    Claim lost = claim().getFirst();
    long before = store.epoch();
    proxy.refuse();
    proxy.cut();
    endLease();
    while (store.health().trouble() == null) {
      Thread.onSpinWait();
    }
    assertThat(store.health().trouble()).isEqualTo(Trouble.FAILING);
    proxy.mend();
    Claim next = awaitClaim();
    assertThat(store.epoch()).isNotEqualTo(before);
    assertThat(store.complete(lost, TaskResult.of("late"))).isInstanceOf(Outcome.Fenced.class);
    assertThat(store.complete(next, TaskResult.of("result"))).isEqualTo(Outcome.DONE);
    assertThat(store.state(id)).contains(JobState.COMPLETED);
    assertThat(store.health().trouble()).isNull();
  }
}
