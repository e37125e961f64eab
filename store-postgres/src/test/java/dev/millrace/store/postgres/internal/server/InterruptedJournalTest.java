package dev.millrace.store.postgres.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.TcpProxy;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A journal has each chunk once, and no gap, whatever happens to the statements that write it. */
@Timeout(60)
class InterruptedJournalTest {
  private final Database direct = EmbeddedDatabase.migrated();
  private final TcpProxy proxy = new TcpProxy(port());
  private final Database proxied = Database.of(settings());
  private final PostgresStore store =
      PostgresStore.open(proxied, StoreOptions.of("test", proxied, true));
  private final JobId id =
      store.submit(JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("x"))))));
  private final Claim claim =
      store.claim(new ClaimRequest(Set.of("a"), 1, "worker", null)).getFirst();

  private static int port() {
    String hosts = EmbeddedDatabase.settings("any").hosts();
    return Integer.parseInt(hosts.substring(hosts.lastIndexOf(':') + 1));
  }

  private PostgresSettings settings() {
    String url = "postgresql://postgres@127.0.0.1:" + proxy.port() + "/postgres";
    return PostgresSettings.parse(url, Map.of()).withSchema(direct.settings().schema());
  }

  @AfterEach
  void close() {
    store.close();
    proxied.close();
    proxy.close();
    EmbeddedDatabase.drop(direct);
  }

  private ClaimSignal append(int token) {
    return store.appendJournal(claim, new OutputChunk(List.of(token), List.of("<" + token + ">")));
  }

  /** Appends until the store takes it, as a server does. */
  private void appendAgain(int token) {
    while (true) {
      try {
        append(token);
        return;
      } catch (StoreException e) {
        LockSupport.parkNanos(1_000_000); // the last write failed
      }
    }
  }

  private String journal() {
    return store.outputSoFar(id, 1, 1, 0).text();
  }

  /** The journal when it has so many rows. */
  private String journalOf(int count) {
    while (rows() < count) {
      LockSupport.parkNanos(1_000_000);
    }
    return journal();
  }

  private int rows() {
    return direct.first("SELECT count(*)::int FROM @journal", row -> row.getInt(1)).orElseThrow();
  }

  /** Appends; holds up the statement that writes it, cuts its connection, and does that. */
  private void cutAppend(int token, Runnable then) {
    direct.inTransaction(
        transaction -> {
          transaction.list("SELECT 1 FROM @jobs FOR UPDATE", row -> row.getInt(1));
          append(token);
          while (waiting().isEmpty()) {
            LockSupport.parkNanos(1_000_000);
          }
          proxy.cut();
          then.run();
          return token;
        });
  }

  /** The processes of the database that wait to append. */
  private List<Integer> waiting() {
    return direct.list(
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE ?",
        row -> row.getInt(1),
        "%INSERT INTO \"" + direct.settings().schema() + "\".journal%");
  }

  @Test
  void aChunkWhoseAnswerWasLostIsThereOnce() {
    append(1);
    assertThat(journalOf(1)).isEqualTo("<1>");
    cutAppend(2, () -> {}); // the statement goes on when the lock is free
    appendAgain(3);
    assertThat(journalOf(3)).isEqualTo("<1><2><3>");
    assertThat(rows()).isEqualTo(3);
  }

  @Test
  void aChunkThatWasNotWrittenIsThereOnce() {
    append(1);
    assertThat(journalOf(1)).isEqualTo("<1>");
    cutAppend(
        2,
        () ->
            waiting().forEach(pid -> direct.isTrue("SELECT pg_terminate_backend(?, 10000)", pid)));
    appendAgain(3);
    assertThat(journalOf(3)).isEqualTo("<1><2><3>");
    assertThat(rows()).isEqualTo(3);
  }

  /** What a crash does that takes the last rows: it also empties the table of its incarnation. */
  private void crash(int firstLost) {
    direct.inTransaction(
        transaction -> {
          transaction.update("DELETE FROM @journal WHERE ? <= ANY (tokens)", firstLost);
          return transaction.update("DELETE FROM @incarnation");
        });
  }

  @Test
  void whatACrashHasTakenIsWrittenAgainBeforeWhatFollows() {
    append(1);
    append(2);
    append(3);
    assertThat(journalOf(3)).isEqualTo("<1><2><3>");
    crash(2);
    assertThat(journal()).isEqualTo("<1>");
    appendAgain(4);
    assertThat(journalOf(4)).isEqualTo("<1><2><3><4>");
    appendAgain(5);
    assertThat(journalOf(5)).isEqualTo("<1><2><3><4><5>");
  }

  @Test
  void aClaimThatEndsAfterACrashLeavesNoGap() {
    store.freeze(claim, JsonObject.create().put("seed", 7));
    append(1);
    append(2);
    assertThat(journalOf(2)).isEqualTo("<1><2>");
    crash(2);
    appendAgain(3); // written with the release, or before
    release();
    Claim next = store.claim(new ClaimRequest(Set.of("a"), 1, "worker", null)).getFirst();
    assertThat(next.journaledTokens()).isIn(List.of(1), List.of(1, 2), List.of(1, 2, 3));
  }

  private void release() {
    while (true) {
      try {
        store.release(claim, "shutdown");
        return;
      } catch (StoreException e) {
        store.sweep(); // it has crashed before that was durable
      }
    }
  }

  @Test
  void termsThatACrashMayHaveTakenAreNotAcknowledged() {
    JsonObject terms = JsonObject.create().put("seed", 7);
    crash(0);
    assertThatThrownBy(() -> store.freeze(claim, terms))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("crashed");
    store.sweep();
    assertThat(store.freeze(claim, terms)).isEqualTo(Outcome.DONE);
    appendAgain(1);
    assertThat(journalOf(1)).isEqualTo("<1>");
  }
}
