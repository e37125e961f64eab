package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.internal.store.TaskJournal;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.postgres.internal.db.Database;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads and writes the tokens of running tasks. Thread-safe. */
public final class JournalRows {
  private static final int PAGE = 1_000;
  private static final int RESERVED = 1_000; // as the sequence is defined

  private final Database database;
  private final Queue<Long> positions = new ArrayDeque<>();
  private long highest; // that was given to a row

  public JournalRows(Database database) {
    this.database = database;
  }

  private record Row(long position, FencingToken claim, OutputChunk chunk) {}

  /** The table of rows that are given as nine columns after three of their own. */
  private static final String GIVEN =
      "unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::bigint[], ?::bigint[],"
          + " ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[]) AS t (job, position,"
          + " incarnation, stage, task, entry_epoch, entry_number, epoch, number, waits, tokens,"
          + " pieces)";

  /** Inserts rows, each once: whether the last try succeeded may not be known. */
  private static final String INSERT =
      "INSERT INTO @journal (job, position, stage, task, entry_epoch, entry_number, epoch, number,"
          + " waits, tokens, pieces) SELECT t.job, t.position, t.stage, t.task, t.entry_epoch,"
          + " t.entry_number, t.epoch, t.number, t.waits::boolean, t.tokens::int[], t.pieces::json"
          + " FROM ";

  private static final String UNCRASHED = " t.incarnation = (SELECT id FROM @incarnation)";

  /** Of claims that are over, nothing is inserted: another one may have read the journal. */
  public static final String INSERT_ALL =
      INSERT
          + GIVEN
          + " JOIN @jobs j ON j.key = t.job AND t.number = ANY (j.running_claims) WHERE"
          + UNCRASHED
          + " ON CONFLICT DO NOTHING";

  /**
   * Inserts rows of jobs of which this server still has tasks, under its epoch or an earlier one of
   * its own; says which these are.
   */
  public static final String APPEND =
      "WITH present AS MATERIALIZED (SELECT key, running_claims FROM @jobs"
          + " WHERE key = ANY (?) AND running_epochs && ? ORDER BY key FOR SHARE),"
          + " added AS ("
          + INSERT
          + GIVEN
          + " JOIN present p ON p.key = t.job AND t.number = ANY (p.running_claims) WHERE"
          + UNCRASHED
          + " ON CONFLICT DO NOTHING)"
          + " SELECT coalesce((SELECT id FROM @incarnation), 0) AS incarnation,"
          + " ARRAY(SELECT key FROM present) AS jobs,"
          + " set_config('synchronous_commit', 'off', true)";

  /** Reads a part of a journal. */
  public static final String READ =
      "SELECT position, epoch, number, waits, tokens, pieces::text AS pieces FROM @journal"
          + " WHERE job = ? AND stage = ? AND task = ? AND position >= ?"
          + " AND entry_epoch = ? AND entry_number = ?"
          + " AND (? OR cardinality(tokens) > 0 OR pieces::text <> '[]')"
          + " ORDER BY position LIMIT ?";

  private static Object[] values(List<JournalRow> rows) {
    int count = rows.size();
    Object[] values = {
      new Long[count],
      new Long[count],
      new Long[count],
      new Integer[count],
      new Integer[count],
      new Long[count],
      new Long[count],
      new Long[count],
      new Long[count],
      new String[count],
      new String[count],
      new String[count]
    };
    for (int row = 0; row < count; row++) {
      JournalRow each = rows.get(row);
      ((Object[]) values[0])[row] = each.job;
      ((Object[]) values[1])[row] = each.position;
      ((Object[]) values[2])[row] = each.incarnation;
      Object[] columns = each.columns();
      for (int column = 0; column < columns.length; column++) {
        Object value = columns[column];
        ((Object[]) values[column + 3])[row] = value instanceof Boolean ? value.toString() : value;
      }
    }
    return values;
  }

  /** Gives rows their positions: behind those of all rows that were written before. */
  public synchronized void number(List<JournalRow> rows) {
    for (JournalRow row : rows) {
      if (row.position == 0) {
        if (positions.isEmpty()) {
          reserve();
        }
        row.position = positions.remove();
      }
    }
    positions.clear(); // another server may write next
  }

  /** A crash of the database may take a sequence back. */
  private void reserve() {
    long first;
    do {
      first =
          database
              .first(
                  "SELECT nextval(?)", it -> it.getLong(1), database.inSchema("@journal_positions"))
              .orElseThrow();
    } while (first <= highest);
    highest = first + RESERVED - 1;
    for (long next = first; next <= highest; next++) {
      positions.add(next);
    }
  }

  /** The values of {@link #INSERT_ALL}. */
  public Object[] numbered(List<JournalRow> rows) {
    number(rows);
    return values(rows);
  }

  /** Inserts rows of jobs that come from another store: their claims are over. */
  public void insertArriving(List<JournalRow> rows) {
    database.update(INSERT + GIVEN, numbered(rows));
  }

  /**
   * What an append found.
   *
   * @param incarnation of the database; if it is not that of the rows, nothing was written
   * @param jobs of which this server still has tasks
   */
  public record Appended(long incarnation, Set<JobId> jobs) {}

  /** Appends to journals, if this server still has a task of their job. */
  public Appended append(List<JournalRow> rows) {
    Map<Long, JobId> ids = new HashMap<>();
    rows.forEach(row -> ids.put(row.job, row.id));
    List<@Nullable Object> values = new ArrayList<>();
    values.add(ids.keySet().toArray(Long[]::new));
    values.add(rows.stream().map(JournalRow::epoch).distinct().toArray(Long[]::new));
    values.addAll(Arrays.asList(values(rows)));
    return database
        .first(
            APPEND,
            row -> {
              Set<JobId> jobs = new HashSet<>();
              for (Long key : (Long[]) row.getArray("jobs").getArray()) {
                jobs.add(ids.get(key));
              }
              return new Appended(row.getLong("incarnation"), jobs);
            },
            values.toArray())
        .orElseThrow();
  }

  /**
   * Appends to the journal of a running task, if the job is still of that version: nothing of a
   * worker that lost its claim comes behind what its successor has read. It is durable, so that a
   * crash leaves no gap.
   *
   * @return whether it was
   * @throws IOException if nobody knows whether it was appended
   */
  public boolean append(JournalRow row, long version) throws IOException {
    try {
      return appendNow(row, version);
    } catch (StoreException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private boolean appendNow(JournalRow row, long version) {
    return database
        .first(
            "WITH present AS (SELECT key FROM @jobs WHERE key = ? AND version = ? FOR SHARE),"
                + " added AS (INSERT INTO @journal (job, position, stage, task, entry_epoch,"
                + " entry_number, epoch, number, waits, tokens, pieces)"
                + " SELECT key, nextval(?), ?, ?, ?, ?, ?, ?, ?, ?::int[], ?::json FROM present"
                + " RETURNING 1) SELECT 1 FROM added",
            _ -> true,
            Stream.concat(
                    Stream.of(row.job, version, database.inSchema("@journal_positions")),
                    Arrays.stream(row.columns()))
                .toArray())
        .orElse(false);
  }

  /**
   * @param all whether also rows count that have no output
   */
  private List<Row> read(
      long job, int stage, int task, FencingToken entry, long from, boolean all) {
    return database.list(
        READ, JournalRows::row, job, stage, task, from, entry.epoch(), entry.number(), all, PAGE);
  }

  private static Row row(ResultSet row) throws SQLException {
    List<String> pieces = new ArrayList<>();
    ((List<?>) Json.parse(row.getString("pieces"))).forEach(piece -> pieces.add((String) piece));
    return new Row(
        row.getLong("position"),
        new FencingToken(row.getLong("epoch"), row.getLong("number")),
        new OutputChunk(
            List.of((Integer[]) row.getArray("tokens").getArray()),
            pieces,
            row.getBoolean("waits")));
  }

  /** All of a journal. */
  public TaskJournal journal(long job, int stage, int task, @Nullable FencingToken entry) {
    List<OutputChunk> chunks = new ArrayList<>();
    FencingToken last = null;
    boolean grew = false;
    boolean waits = false;
    long from = 0;
    while (entry != null && from >= 0) {
      List<Row> page = read(job, stage, task, entry, from, true);
      for (Row row : page) {
        grew = row.claim().equals(last) && grew || !row.chunk().tokens().isEmpty();
        last = row.claim();
        waits = row.chunk().waits();
        if (!row.chunk().isEmpty()) {
          chunks.add(row.chunk());
        }
      }
      from = page.size() < PAGE ? -1 : page.getLast().position() + 1;
    }
    return last == null
        ? TaskJournal.EMPTY
        : new TaskJournal(OutputChunk.joined(chunks), last, grew, waits);
  }

  /** Output behind a position, or from the start if that position is of another journal. */
  public OutputSoFar outputSoFar(long job, int stage, int task, FencingToken entry, long from) {
    List<Row> rows = read(job, stage, task, entry, from, false);
    boolean known = from > 0 && !rows.isEmpty() && rows.getFirst().position() == from;
    if (from > 0 && !known) {
      rows = read(job, stage, task, entry, 0, false);
    }
    long next = known ? from : 0;
    List<OutputChunk> chunks = new ArrayList<>();
    for (Row row : known ? rows.subList(1, rows.size()) : rows) {
      chunks.add(row.chunk());
      next = row.position();
    }
    return new OutputSoFar(known ? from : 0, next, chunks);
  }
}
