package dev.millrace.store.postgres.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.fixture.Notifications;
import dev.millrace.store.postgres.internal.db.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers of workers that come at the same time share transactions, and each notifies once. */
@Timeout(60)
class SharedCommitsTest {
  private static final int ANSWERS = 30;

  /** How many transactions may write at once. */
  private static final int LANES = 3;

  private final Database database = EmbeddedDatabase.migrated();
  private final PostgresStore store =
      PostgresStore.open(
          database, PostgresStoreFixture.options(ContractSettings.of(new ManualClock())));

  @AfterEach
  void close() {
    store.close();
    EmbeddedDatabase.drop(database);
  }

  private int durableTransactions() {
    return database.list("SELECT 1 FROM @changes", row -> 1).size();
  }

  private int blocked(Statement watcher) throws SQLException {
    try (ResultSet row =
        watcher.executeQuery(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE"
                + " '%INSERT INTO \""
                + database.settings().schema()
                + "\".changes%'")) {
      row.next();
      return row.getInt(1);
    }
  }

  @Test
  void answersThatComeTogetherAreWrittenTogether() throws Exception {
    for (int i = 0; i < ANSWERS; i++) {
      store.submit(JobSpec.prompt("a", "hello"));
    }
    List<Claim> claims = store.claim(new ClaimRequest(Set.of("a"), ANSWERS, "worker", null));
    assertThat(claims).hasSize(ANSWERS);
    int before = durableTransactions();
    try (Notifications notifications = Notifications.of(database)) {
      List<Thread> threads = new ArrayList<>();
      try (Connection holder = database.openSession();
          Connection other = database.openSession();
          Statement locking = holder.createStatement();
          Statement watcher = other.createStatement()) {
        holder.setAutoCommit(false);
        locking.execute(database.inSchema("LOCK TABLE @changes IN SHARE MODE"));
        for (Claim claim : claims) {
          threads.add(Thread.ofPlatform().start(() -> store.complete(claim, TaskResult.of("r"))));
        }
        awaitAll(threads, watcher);
        holder.rollback();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(store.counts()).containsEntry(JobState.COMPLETED, ANSWERS);
      int transactions = durableTransactions() - before;
      assertThat(transactions).isBetween(2, 2 * LANES);
      assertThat(notifications.count()).isEqualTo(transactions);
    }
  }

  /** Returns when some wait for the database, and the others for these. */
  private void awaitAll(List<Thread> threads, Statement watcher) throws SQLException {
    long waiting = 0;
    while (blocked(watcher) < LANES || waiting < ANSWERS - LANES) {
      waiting = threads.stream().filter(it -> it.getState() == Thread.State.WAITING).count();
    }
  }
}
