package dev.millrace.store.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.Database;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The statements that run all the time use their indexes, however many jobs wait or have ended. */
class QueryPlansTest {
  private static final int WAITING = 20_000;
  private static final int ENDED = 40_000;

  private static Database database;

  @BeforeAll
  static void fill() {
    database = EmbeddedDatabase.migrated();
    insert(WAITING, "PENDING", "'generate'", "'-infinity'::timestamptz", "NULL", "NULL");
    insert(ENDED, "COMPLETED", "NULL", "NULL", "now() - i * interval '1 s'", "NULL");
    insert(50, "IN_PROGRESS", "NULL", "NULL", "NULL", "'{generate}'::text[]");
    database.update(
        "INSERT INTO @entries (job, number, version, entry)"
            + " SELECT j, n, 1, '{}'::json FROM generate_series(1, 500) j, generate_series(1, 20) n"
            + " UNION ALL SELECT 501, n, 1, '{}'::json FROM generate_series(1, 20000) n");
    database.update("ANALYZE @jobs, @entries");
  }

  private static void insert(
      int count, String state, String type, String at, String ended, String running) {
    database.update(
        "INSERT INTO @jobs (sort_key, id, created_at, document, plan, tags, state, priority,"
            + " at_gate, updated_at, ended_at, last_number, version, rank, claim_type, claim_at,"
            + " running_types) SELECT '"
            + state
            + "' || lpad(i::text, 9, '0'), '1_2_' || i, now(), '{}', '{}', '{}', '"
            + state
            + "', 'MEDIUM', false, now(), "
            + ended
            + ", 1, i, i, "
            + type
            + ", "
            + at
            + ", "
            + running
            + " FROM generate_series(1, "
            + count
            + ") AS i");
  }

  @AfterAll
  static void drop() {
    EmbeddedDatabase.drop(database);
  }

  private static String plan(String statement) {
    return database.list("EXPLAIN (COSTS OFF) " + statement, row -> row.getString(1)).stream()
        .collect(Collectors.joining("\n"));
  }

  static Stream<Arguments> statements() {
    String now = "now()";
    return Stream.of(
        Arguments.of(
            "jobs_claim_order",
            ClaimPages.OFFER
                .replaceFirst("\\?::text\\[]", "'{generate,embed}'::text[]")
                .replaceFirst("claim_at <= \\?", "claim_at <= " + now)
                .replaceFirst("\\(\\?, \\?\\)", "(5, 'x')")
                .replaceFirst("offered_to = \\?", "offered_to = 1")
                .replaceFirst("LIMIT \\?", "LIMIT 64")
                .replaceFirst("LIMIT \\?", "LIMIT 64")
                .replaceFirst("offered_to = \\?", "offered_to = 1")),
        Arguments.of(
            "jobs_due",
            "SELECT id FROM @jobs WHERE due_at <= now() ORDER BY due_at DESC LIMIT 500"),
        Arguments.of(
            "jobs_backoff",
            "SELECT claim_at FROM @jobs WHERE claim_at > '-infinity' ORDER BY claim_at LIMIT 1"),
        Arguments.of(
            "jobs_running",
            "SELECT id FROM @jobs WHERE running_types && '{generate}' AND running_types IS NOT"
                + " NULL"),
        Arguments.of("jobs_ended", "SELECT id FROM @jobs WHERE ended_at < now() - interval '11 h'"),
        Arguments.of("jobs_unreadable", "SELECT count(*) FROM @jobs WHERE unreadable IS NOT NULL"),
        Arguments.of("jobs_pkey", "SELECT version = 3 FROM @jobs WHERE key = 7"),
        Arguments.of("jobs_sort_key_key", "SELECT state FROM @jobs WHERE sort_key = 'x'"),
        Arguments.of(
            "jobs_claim_order",
            "SELECT created_at FROM @jobs WHERE claim_type = 'generate' AND priority = 'MEDIUM'"
                + " ORDER BY rank, sort_key LIMIT 1"));
  }

  @ParameterizedTest
  @MethodSource("statements")
  void theStatementUsesItsIndex(String index, String statement) {
    assertThat(plan(statement)).contains(index).doesNotContain("Seq Scan on jobs");
  }

  @Test
  void theLogOfAJobIsReadInItsOrder() {
    assertThat(
            plan(
                "SELECT entry FROM @entries WHERE job = 501 AND number > 9 ORDER BY number LIMIT"
                    + " 500"))
        .contains("entries_pkey")
        .doesNotContain("Sort");
  }
}
