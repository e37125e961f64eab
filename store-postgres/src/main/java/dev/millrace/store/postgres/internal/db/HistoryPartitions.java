package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The partitions of all that belongs to jobs: one for each month in which jobs were created. A month
 * whose jobs are all deleted is dropped, which no vacuum has to follow. Thread-safe.
 */
public final class HistoryPartitions {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** By the key of a job; the first one has a row for every job. */
  private static final List<String> TABLES =
      List.of(
          "documents", "ended_jobs", "entries", "tasks", "results", "partial_outputs", "journal");

  private static final DateTimeFormatter SUFFIX = DateTimeFormatter.ofPattern("'_'uuuu'_'MM");

  /** Whoever waits for longer lets others pass, and tries again later. */
  private static final String LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'";

  private static final String REST_HAS =
      "SELECT EXISTS (SELECT FROM @documents_rest WHERE key >= ? AND key < ?)";

  private final Database database;
  private final Supplier<Instant> now;

  /** By the clock of the database. */
  public HistoryPartitions(Database database) {
    this(database, () -> clockOf(database));
  }

  /**
   * @param now the time that decides which month it is
   */
  HistoryPartitions(Database database, Supplier<Instant> now) {
    this.database = database;
    this.now = now;
  }

  private static Instant clockOf(Database database) {
    return database
        .first("SELECT clock_timestamp() AS now", row -> Times.read(row, "now"))
        .orElseThrow();
  }

  /** Creates the partitions of this month and the next one, where they are missing. */
  public void prepare() {
    LocalDate month = thisMonth();
    for (LocalDate each : List.of(month, month.plusMonths(1))) {
      tryTo("create the partitions of " + each, () -> createIfMissing(each));
    }
  }

  /** Drops the partitions of earlier months in which there is no job any more. */
  public void dropEmpty() {
    LocalDate thisMonth = thisMonth();
    for (LocalDate month : months()) {
      if (month.isBefore(thisMonth)) {
        tryTo("drop the partitions of " + month, () -> dropIfEmpty(month));
      }
    }
  }

  /** The months that have partitions, the earliest one first. */
  List<LocalDate> months() {
    String prefix = TABLES.getFirst();
    return database.list(
        "SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r'"
            + " AND relnamespace = to_regnamespace(?) AND relname ~ ? ORDER BY relname",
        row ->
            LocalDate.parse(
                row.getString(1).substring(prefix.length()) + "_01",
                DateTimeFormatter.ofPattern("'_'uuuu'_'MM'_'dd")),
        database.settings().schema(),
        "^" + prefix + "_[0-9]{4}_[0-9]{2}$");
  }

  private LocalDate thisMonth() {
    return now.get().atZone(ZoneOffset.UTC).toLocalDate().withDayOfMonth(1);
  }

  private static void tryTo(String what, Runnable action) {
    try {
      action.run();
    } catch (StoreException e) { // until it succeeds, the partitions for the rest take all
      LOG.log(Level.WARNING, "cannot " + what + ", trying again later: " + e.getMessage());
    }
  }

  /** The first key that a job may have which is created then; the keys' default says the same. */
  private static long firstKey(LocalDate day) {
    return day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli() << 20;
  }

  private void createIfMissing(LocalDate month) {
    if (months().contains(month)) {
      return;
    }
    long from = firstKey(month);
    long to = firstKey(month.plusMonths(1));
    database.inTransaction(
        statements -> {
          statements.update(LOCK_TIMEOUT);
          Migrations.lock(statements, database);
          // What came before its partition stays where it is, and so do later ones of that month.
          if (!months().contains(month) && !statements.isTrue(REST_HAS, from, to)) {
            for (String table : TABLES) {
              statements.update(
                  "CREATE TABLE @%1$s%2$s PARTITION OF @%1$s FOR VALUES FROM (%3$d) TO (%4$d)"
                      .formatted(table, SUFFIX.format(month), from, to));
            }
          }
          return month;
        });
  }

  private void dropIfEmpty(LocalDate month) {
    List<String> partitions = new ArrayList<>();
    TABLES.forEach(table -> partitions.add("@" + table + SUFFIX.format(month)));
    String first = partitions.getFirst();
    if (database.isTrue("SELECT EXISTS (SELECT FROM " + first + ")")) {
      return;
    }
    database.inTransaction(
        statements -> {
          statements.update(LOCK_TIMEOUT);
          drop(statements, partitions);
          return month;
        });
  }

  private static void drop(Database.Statements statements, List<String> partitions)
      throws SQLException {
    String first = partitions.getFirst();
    statements.update("LOCK TABLE " + first + " IN ACCESS EXCLUSIVE MODE");
    if (!statements.isTrue("SELECT EXISTS (SELECT FROM " + first + ")")) {
      statements.update("DROP TABLE " + String.join(", ", partitions));
    }
  }
}
