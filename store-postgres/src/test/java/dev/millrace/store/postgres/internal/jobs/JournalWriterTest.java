package dev.millrace.store.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.ServerLease;
import dev.millrace.store.postgres.internal.jobs.JournalWriter.Batch;
import dev.millrace.store.postgres.internal.rows.JournalRow;
import dev.millrace.store.postgres.internal.rows.JournalRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class JournalWriterTest {
  private static final JobId JOB = new JobId("00001772352078505000_7_000010");
  private static final long KEY = 1;
  private static final long CLAIM = 5;

  private final Database database = EmbeddedDatabase.migrated();
  private final ServerLease server =
      ServerLease.join(database, "test", ServerLease.Role.SERVER, Duration.ofSeconds(30));
  private final CommitFlusher flusher = new CommitFlusher(database, server.epoch());
  private final List<JobId> lost = new ArrayList<>();
  private final JournalWriter writer =
      new JournalWriter(new JournalAppender(new JournalRows(database), server, flusher), lost::add);

  JournalWriterTest() {
    database.update(
        "INSERT INTO @jobs (key, sort_key, state, priority, at_gate, updated_at, last_number,"
            + " version, rank, waiting, running_epochs, running_claims) VALUES (?, 'a',"
            + " 'IN_PROGRESS', 'MEDIUM', false, now(), 1, 1, 1, 0, ?, ?)",
        KEY,
        new Long[] {server.epoch()},
        new Long[] {CLAIM});
  }

  @AfterEach
  void close() {
    server.close();
    EmbeddedDatabase.drop(database);
  }

  private JournalRow row(int token) {
    FencingToken claim = new FencingToken(server.epoch(), CLAIM);
    OutputChunk chunk = new OutputChunk(List.of(token), List.of("<" + token + ">"));
    return new JournalRow(JOB, KEY, new ClaimKey(1, 1, claim), claim, chunk);
  }

  private List<Integer> journal() {
    return database.list("SELECT tokens[1] FROM @journal ORDER BY position", row -> row.getInt(1));
  }

  /** What a crash does that takes the rows from this token on. */
  private void crash(int firstLost) {
    database.update("DELETE FROM @journal WHERE tokens[1] >= ?", firstLost);
    database.update("DELETE FROM @incarnation");
  }

  private boolean isWaiting() {
    return database.isTrue(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND query LIKE ?)",
        "%INSERT INTO \"" + database.settings().schema() + "\".journal%");
  }

  @Test
  void anAppendThatHasNoRowsEndsNoWriteOfOthers() throws Exception {
    Batch none = writer.begin(JOB);
    writer.add(JOB, row(1));
    AtomicReference<CompletableFuture<Boolean>> write = new AtomicReference<>();
    AtomicReference<CompletableFuture<Batch>> next = new AtomicReference<>();
    database.inTransaction(
        statements -> {
          statements.list("SELECT key FROM @jobs FOR UPDATE", row -> row.getLong(1));
          write.set(CompletableFuture.supplyAsync(writer::writeAll));
          while (!isWaiting()) {
            Thread.onSpinWait();
          }
          writer.end(none, 7, flusher.incarnation());
          writer.add(JOB, row(2));
          next.set(new CompletableFuture<>());
          Thread second = Thread.ofPlatform().start(() -> next.get().complete(writer.begin(JOB)));
          while (second.getState() != Thread.State.WAITING && !next.get().isDone()) {
            Thread.onSpinWait();
          }
          return next.get();
        });
    assertThat(write.get().get()).isTrue();
    assertThat(next.get().get().rows()).hasSize(1);
    writer.end(next.get().get(), 0, 0);
    assertThat(writer.writeAll()).isTrue();
    assertThat(journal()).containsExactly(1, 2);
  }

  @Test
  void anAppendAfterACrashHasFirstWhatWasLost() {
    writer.add(JOB, row(1));
    writer.add(JOB, row(2));
    assertThat(writer.writeAll()).isTrue();
    crash(2);
    writer.add(JOB, row(3));
    assertThat(writer.writeAll()).as("it notices the crash").isFalse();
    Batch batch = writer.begin(JOB);
    assertThat(batch.rows()).hasSize(3);
    writer.end(batch, 0, 0);
    assertThat(writer.writeAll()).isTrue();
    assertThat(journal()).containsExactly(1, 2, 3);
  }

  @Test
  void nothingIsInsertedOfAClaimThatIsOver() {
    writer.add(JOB, row(1));
    writer.add(JOB, row(2));
    assertThat(writer.writeAll()).isTrue();
    crash(2);
    database.update("UPDATE @jobs SET running_claims = ?", (Object) new Long[] {CLAIM + 3});
    writer.add(JOB, row(3));
    assertThat(writer.writeAll()).as("it notices the crash").isFalse();
    assertThat(writer.writeAll()).isTrue();
    assertThat(journal()).as("another claim may have read it").containsExactly(1);
    assertThat(lost).as("the job has a task of this server").isEmpty();
  }

  @Test
  void rowsThatAnAppendLeavesOutAreWrittenLater() {
    writer.add(JOB, row(1));
    Batch batch = writer.begin(JOB);
    crash(1);
    writer.end(batch, 7, 0); // the append is there, without them
    assertThat(writer.writeAll()).as("it notices the crash").isFalse();
    assertThat(writer.writeAll()).isTrue();
    assertThat(journal()).containsExactly(1);
  }
}
