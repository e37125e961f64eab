package dev.millrace.store.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.fixture.PlanReader;
import dev.millrace.store.postgres.internal.db.ChangeListener;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.LeaderLeases;
import dev.millrace.store.postgres.internal.db.ServerLease;
import dev.millrace.store.postgres.internal.read.KeptCounts;
import dev.millrace.store.postgres.internal.read.PostgresReader;
import dev.millrace.store.postgres.internal.rows.EntryRows;
import dev.millrace.store.postgres.internal.rows.JobRows;
import dev.millrace.store.postgres.internal.rows.JournalRows;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The hot statements find their rows by an index, whatever values they get, beside many jobs that
 * wait and many that have ended.
 */
@Tag("slow")
class QueryPlansTest {
  private static final int WAITING = 20_000;
  private static final int ENDED = 20_000;

  private static Database database;
  private static PlanReader plans;

  @BeforeAll
  static void fill() throws SQLException {
    database = EmbeddedDatabase.migrated();
    ids("w", WAITING);
    ids("e", ENDED);
    ids("last", 1);
    database.update(
        "INSERT INTO @jobs (key, sort_key, state, priority, at_gate, updated_at, last_number,"
            + " version, rank, waiting, claim_type, claim_at) SELECT key, sort_key, 'PENDING',"
            + " 'MEDIUM', false, now(), 1, 1, key, 1, 'generate', '-infinity' FROM @job_ids"
            + " WHERE sort_key NOT LIKE 'e%'");
    database.update(
        "UPDATE @jobs SET priority = 'LOW', rank = ? WHERE sort_key LIKE 'last%'", Long.MAX_VALUE);
    database.update(
        "INSERT INTO @ended_jobs (key, sort_key, state, priority, updated_at, ended_at,"
            + " last_number, version, final_counts) SELECT key, sort_key, 'COMPLETED', 'MEDIUM',"
            + " now(), now() - interval '1 s', 1, 1, '{}' FROM @job_ids WHERE sort_key LIKE 'e%'");
    database.update(
        "INSERT INTO @documents (key, id, created_at, document, plan, tags) SELECT key,"
            + " sort_key, now(), '{}', '{}', '{}' FROM @job_ids");
    database.update(
        "INSERT INTO @entries (job, first, last, version, entries) SELECT key, n, n, 1, '[]'"
            + " FROM @job_ids, generate_series(1, 3) n");
    database.update("ANALYZE");
    plans = PlanReader.of(database);
  }

  private static void ids(String prefix, int count) {
    database.update(
        "INSERT INTO @job_ids (sort_key) SELECT ? || i FROM generate_series(1, ?) AS i",
        prefix,
        count);
  }

  @AfterAll
  static void drop() throws SQLException {
    plans.close();
    EmbeddedDatabase.drop(database);
  }

  static Stream<Arguments> statements() {
    return Stream.of(
        Arguments.of("changes_pkey", ChangeListener.NEW),
        Arguments.of("jobs_claim_order", ClaimPages.OFFER),
        Arguments.of("jobs_claim_order", ClaimPages.LOOK),
        Arguments.of("jobs_pkey", ClaimedRows.READ),
        Arguments.of("jobs_pkey", AppendStatement.QUEUED),
        Arguments.of("jobs_pkey", AppendStatement.ENDED),
        Arguments.of("job_ids_pkey", JobRows.FIND),
        Arguments.of("documents_[0-9_]+_pkey", JobRows.FIND),
        Arguments.of("ended_jobs_[0-9_]+_pkey", JobRows.FIND),
        Arguments.of("jobs_pkey", JobRows.IS_VERSION),
        Arguments.of("jobs_pkey", JobRows.OUTDATED),
        Arguments.of("job_ids_pkey", JobRows.STATE),
        Arguments.of("entries_[0-9_]+_pkey|Subplans Removed", EntryRows.PAGE_AFTER),
        Arguments.of("entries_[0-9_]+_pkey|Subplans Removed", EntryRows.AFTER),
        Arguments.of("job_ids_pkey", PostgresReader.STAMP),
        Arguments.of("jobs_due", PostgresClaimIndex.OVERDUE),
        Arguments.of("jobs_backoff", PostgresClaimIndex.FIRST_BACKOFF),
        Arguments.of("jobs_backoff", PostgresClaimIndex.BACKOFF_OVER),
        Arguments.of("jobs_running", PostgresClaimIndex.LOST_CLAIMS),
        Arguments.of("jobs_oldest", KeptCounts.OLDEST),
        Arguments.of("jobs_begun", PostgresClaimIndex.IS_IDLE),
        Arguments.of("ended_jobs_[0-9_]+_ended_at_idx", JobRemover.ENDED_BEFORE),
        Arguments.of("jobs_(pkey|running)", JournalRows.INSERT_ALL),
        Arguments.of("jobs_(pkey|running)", JournalRows.APPEND),
        Arguments.of("journal_[0-9_]+_pkey|Subplans Removed", JournalRows.READ),
        Arguments.of("servers_pkey", ServerLease.RENEW),
        Arguments.of("servers_serving", ServerLease.RENEW),
        Arguments.of("servers_pkey", LeaderLeases.TAKE),
        Arguments.of("leases_until", PostgresLeases.EXPIRED),
        Arguments.of("leases_pkey", PostgresLeases.EXISTS),
        Arguments.of("leases_pkey", PostgresLeases.RENEW),
        Arguments.of("leases_pkey", PostgresLeases.END));
  }

  @ParameterizedTest
  @MethodSource("statements")
  void theStatementUsesItsIndex(String index, String statement) throws SQLException {
    assertThat(plans.plan(statement).replaceAll("Seq Scan on incarnation", "its only row"))
        .containsPattern(index)
        .doesNotContain("Seq Scan", "Hash Join", "Parallel");
  }

  static Stream<Arguments> lookups() {
    return Stream.of("w77", "e77")
        .flatMap(
            id ->
                Stream.of(JobRows.FIND, JobRows.STATE, JobRows.LOG_END, PostgresReader.STAMP)
                    .map(query -> Arguments.of(query, id)));
  }

  /** A plan may name an index and still read all of it. */
  @ParameterizedTest
  @MethodSource("lookups")
  void aJobIsFoundWithoutReadingOthers(String query, String id) throws SQLException {
    assertThat(plans.run(query, "'" + id + "'"))
        .doesNotContain("Removed by Filter")
        .containsPattern("\\(actual rows=1(\\.00)? loops=1\\)");
  }

  @Test
  void theOldestOfAPriorityIsFoundBehindManyOfAnother() throws SQLException {
    assertThat(plans.run(KeptCounts.OLDEST, "'generate'", "'LOW'", "" + Long.MIN_VALUE, "'LOW'"))
        .contains("jobs_oldest")
        .doesNotContain("Removed by Filter")
        .containsPattern("\\(actual rows=1(\\.00)? loops=1\\)");
  }

  @ParameterizedTest
  @MethodSource("lists")
  void theFirstOfManyAreFoundWithoutSorting(String condition) throws SQLException {
    assertThat(
            plans.plan(
                "SELECT d.id FROM @job_states s JOIN @documents d ON d.key = s.key WHERE "
                    + condition
                    + " ORDER BY s.sort_key DESC LIMIT ?"))
        .contains("Merge Append")
        .doesNotContain("Seq Scan", "-> Sort");
  }

  static Stream<String> lists() {
    return Stream.of(
        "s.state = ANY (?)",
        "s.state = ANY (?) AND s.sort_key < ?",
        "s.state = ANY (?) AND s.state <> 'COMPLETED'");
  }
}
