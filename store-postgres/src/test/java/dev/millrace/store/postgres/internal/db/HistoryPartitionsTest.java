package dev.millrace.store.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.server.PostgresStore;
import dev.millrace.store.postgres.internal.server.StoreOptions;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A partition for each month, one for the rest, and none for months without jobs. */
class HistoryPartitionsTest {
  private final Database database = EmbeddedDatabase.newDatabase();
  private Instant now = Instant.parse("2031-01-31T23:59:59Z");
  private final HistoryPartitions partitions = new HistoryPartitions(database, () -> now);

  @BeforeEach
  void migrate() {
    new Migrations(database).run();
  }

  @AfterEach
  void drop() {
    EmbeddedDatabase.drop(database);
  }

  private static LocalDate month(String day) {
    return LocalDate.parse(day);
  }

  private static long key(String time) {
    return Instant.parse(time).toEpochMilli() << 20;
  }

  private void insert(long key) {
    database.update(
        "INSERT INTO @documents (key, id, created_at, document, plan, tags)"
            + " VALUES (?, 'id' || ?, now(), '{}', '{}', '{}')",
        key,
        key);
  }

  private List<String> tablesOf(long key) {
    return database.list(
        "SELECT tableoid::regclass::text FROM @documents WHERE key = ?",
        row -> row.getString(1).replaceFirst(".*\\.", ""),
        key);
  }

  @Test
  void thereIsAlwaysAPartitionForThisMonthAndTheNextOne() {
    partitions.prepare();
    assertThat(partitions.months()).containsExactly(month("2031-01-01"), month("2031-02-01"));
    now = Instant.parse("2031-02-01T00:00:00Z");
    partitions.prepare();
    partitions.prepare();
    assertThat(partitions.months())
        .containsExactly(month("2031-01-01"), month("2031-02-01"), month("2031-03-01"));
    insert(key("2031-02-28T23:59:59.999Z"));
    insert(key("2031-03-01T00:00:00Z"));
    assertThat(tablesOf(key("2031-02-28T23:59:59.999Z"))).containsExactly("documents_2031_02");
    assertThat(tablesOf(key("2031-03-01T00:00:00Z"))).containsExactly("documents_2031_03");
  }

  @Test
  void whatCameBeforeItsPartitionStaysInTheDefaultOne() {
    long early = key("2031-02-10T00:00:00Z");
    insert(early);
    assertThat(tablesOf(early)).containsExactly("documents_rest");
    partitions.prepare();
    assertThat(partitions.months())
        .as("one for February would have to take that row")
        .containsExactly(month("2031-01-01"));
    now = Instant.parse("2031-03-01T00:00:00Z");
    partitions.prepare();
    assertThat(partitions.months())
        .containsExactly(month("2031-01-01"), month("2031-03-01"), month("2031-04-01"));
    assertThat(tablesOf(early)).containsExactly("documents_rest");
  }

  @Test
  void onlyEarlierMonthsWithoutJobsAreDropped() {
    partitions.prepare();
    long january = key("2031-01-05T00:00:00Z");
    insert(january);
    partitions.dropEmpty();
    assertThat(partitions.months()).as("none is over").hasSize(2);
    now = Instant.parse("2031-03-15T00:00:00Z");
    partitions.prepare();
    partitions.dropEmpty();
    assertThat(partitions.months())
        .as("January has a job, February is over and had none")
        .containsExactly(month("2031-01-01"), month("2031-03-01"), month("2031-04-01"));
    database.update("DELETE FROM @documents WHERE key = ?", january);
    partitions.dropEmpty();
    assertThat(partitions.months()).containsExactly(month("2031-03-01"), month("2031-04-01"));
    assertThat(
            database.list(
                "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(?)"
                    + " AND relname ~ '_2031_0[12]'",
                row -> row.getString(1),
                database.settings().schema()))
        .as("tables and indexes of the months that are gone")
        .isEmpty();
  }

  @Test
  void aJobWithoutAPartitionOfItsMonthIsProcessedAndDeleted() {
    assertThat(partitions.months()).isEmpty();
    try (JobStore store = PostgresStore.open(database, StoreOptions.of("test", database, false))) {
      JobId id = store.submit(JobSpec.prompt("a", "hello"));
      Claim claim = store.claim(new ClaimRequest(Set.of("a"), 1, "worker", null)).getFirst();
      store.complete(claim, TaskResult.of("done"));
      assertThat(store.state(id)).contains(JobState.COMPLETED);
      LocalDate today = Instant.now().atZone(ZoneOffset.UTC).toLocalDate().withDayOfMonth(1);
      new HistoryPartitions(database).prepare();
      assertThat(partitions.months()).containsExactly(today.plusMonths(1));
      assertThat(store.task(id, 1, 1).orElseThrow().result().text()).isEqualTo("done");
      assertThat(store.delete(id).isDone()).isTrue();
      assertThat(store.state(id)).isEmpty();
    }
    new HistoryPartitions(database).prepare();
    assertThat(partitions.months()).as("nothing is in the way now").hasSize(2);
  }
}
