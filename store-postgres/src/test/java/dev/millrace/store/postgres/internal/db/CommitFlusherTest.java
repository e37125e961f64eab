package dev.millrace.store.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.fixture.Notifications;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that wait for their commits share flushes, and each flush notifies once. */
@Timeout(60)
class CommitFlusherTest {
  private static final int THREADS = 20;

  private final Database database = EmbeddedDatabase.migrated();
  private final CommitFlusher flusher = new CommitFlusher(database, 1);

  @AfterEach
  void drop() {
    EmbeddedDatabase.drop(database);
  }

  private static JobId job(int number) {
    return JobId.of(1_700_000_000_000_000L + number, 1, number);
  }

  private long commit(int number) {
    return flusher.committed(job(number), number, flusher.incarnation());
  }

  private int flushes() {
    return database.list("SELECT 1 FROM @changes", row -> 1).size();
  }

  private boolean isBlocked() {
    return database.isTrue(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND query LIKE ?)",
        "%INSERT INTO \"" + database.settings().schema() + "\".changes%");
  }

  @Test
  void aFlushNotifiesOnceHoweverManyJobsHaveChanged() throws SQLException {
    try (Notifications notifications = Notifications.of(database)) {
      long last = 0;
      for (int i = 0; i < 100; i++) {
        last = commit(i);
      }
      flusher.await(last);
      assertThat(notifications.count()).isEqualTo(1);
      flusher.await(last - 1);
      flusher.awaitAll();
      assertThat(notifications.count()).as("nothing is left to flush").isEqualTo(1);
      assertThat(database.list("SELECT cardinality(jobs) FROM @changes", row -> row.getInt(1)))
          .containsExactly(100);
    }
  }

  @Test
  void whatWaitsForTheDiskAfterACrashIsNotLostWithWhatWasBeforeIt() {
    long lost = commit(1);
    database.update("DELETE FROM @incarnation");
    assertThatThrownBy(() -> flusher.await(lost)).hasMessageContaining("may have lost it");
    long synced = flusher.synced(flusher.lastCommit(), flusher.incarnation());
    assertThatCode(() -> flusher.await(synced)).doesNotThrowAnyException();
    assertThatThrownBy(() -> flusher.await(lost)).hasMessageContaining("may have lost it");
  }

  @Test
  void whoeverWaitsDuringAFlushSharesTheNextOne() throws Exception {
    List<Thread> threads = new ArrayList<>();
    try (Notifications notifications = Notifications.of(database)) {
      database.inTransaction(
          statements -> {
            statements.update("LOCK TABLE @changes IN SHARE MODE");
            threads.add(await(0));
            while (!isBlocked()) {
              Thread.onSpinWait();
            }
            for (int i = 1; i < THREADS; i++) {
              threads.add(await(i));
            }
            for (Thread thread : threads.subList(1, THREADS)) {
              while (thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
              }
            }
            return null;
          });
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(flushes()).isEqualTo(2);
      assertThat(notifications.count()).isEqualTo(2);
      assertThat(flusher.lastDurable()).isEqualTo(flusher.lastCommit());
    }
  }

  private Thread await(int number) {
    return Thread.ofPlatform().start(() -> flusher.await(commit(number)));
  }
}
