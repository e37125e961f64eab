package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.internal.store.TaskJournal;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.postgres.internal.db.Database;
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

  public JournalRows(Database database) {
    this.database = database;
  }

  private record Row(long position, FencingToken claim, OutputChunk chunk) {}

  /** A row to be written. Its position is given to it once, so that it is written once. */
  public static final class JournalRow {
    private final JobId id;
    private final long job;
    private final ClaimKey claim;
    private final FencingToken entry;
    private final OutputChunk chunk;
    private long position; // 0: not known yet

    /**
     * @param job the key of its rows
     * @param entry the log entry that the journal belongs to
     */
    public JournalRow(JobId id, long job, ClaimKey claim, FencingToken entry, OutputChunk chunk) {
      this.id = id;
      this.job = job;
      this.claim = claim;
      this.entry = entry;
      this.chunk = chunk;
    }

    public ClaimKey claim() {
      return claim;
    }

    /** Its columns without the position, as one text for each. */
    private Object[] columns() {
      return new Object[] {
        claim.stage(),
        claim.task(),
        entry.epoch(),
        entry.number(),
        claim.token().epoch(),
        claim.token().number(),
        chunk.waits(),
        chunk.tokens().toString().replace('[', '{').replace(']', '}'),
        Json.write(chunk.pieces())
      };
    }
  }

  /** The table of rows that are given as nine columns after a job and a position. */
  private static final String GIVEN =
      "unnest(?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::bigint[], ?::bigint[], ?::bigint[],"
          + " ?::bigint[], ?::text[], ?::text[], ?::text[]) AS t (job, position, stage, task,"
          + " entry_epoch, entry_number, epoch, number, waits, tokens, pieces)";

  /** Inserts rows, each once: whether the last try succeeded may not be known. */
  private static final String INSERT =
      "INSERT INTO @journal (job, position, stage, task, entry_epoch, entry_number, epoch, number,"
          + " waits, tokens, pieces) SELECT t.job, t.position, t.stage, t.task, t.entry_epoch,"
          + " t.entry_number, t.epoch, t.number, t.waits::boolean, t.tokens::int[], t.pieces::json"
          + " FROM ";

  public static final String INSERT_ALL =
      INSERT + "unchanged, " + GIVEN + " ON CONFLICT DO NOTHING";

  private static Object[] values(List<JournalRow> rows) {
    int count = rows.size();
    Object[] values = {
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
      Object[] columns = each.columns();
      for (int column = 0; column < columns.length; column++) {
        Object value = columns[column];
        ((Object[]) values[column + 2])[row] = value instanceof Boolean ? value.toString() : value;
      }
    }
    return values;
  }

  /** Gives rows their positions: behind those of all rows that were written before. */
  public synchronized void number(List<JournalRow> rows) {
    for (JournalRow row : rows) {
      if (row.position == 0) {
        if (positions.isEmpty()) {
          long first =
              database
                  .first(
                      "SELECT nextval(?)",
                      it -> it.getLong(1),
                      database.inSchema("@journal_positions"))
                  .orElseThrow();
          for (long next = first; next < first + RESERVED; next++) {
            positions.add(next);
          }
        }
        row.position = positions.remove();
      }
    }
    positions.clear(); // another server may write next
  }

  /** The values of {@link #INSERT_ALL}. */
  public Object[] numbered(List<JournalRow> rows) {
    number(rows);
    return values(rows);
  }

  /**
   * Appends to journals, if this server still has a task of their job.
   *
   * @return the jobs of which it has
   */
  public Set<JobId> append(List<JournalRow> rows, long epoch) {
    Map<Long, JobId> ids = new HashMap<>();
    rows.forEach(row -> ids.put(row.job, row.id));
    Set<JobId> written = new HashSet<>();
    List<@Nullable Object> values = new ArrayList<>();
    values.add(ids.keySet().toArray(Long[]::new));
    values.add(epoch);
    values.addAll(Arrays.asList(values(rows)));
    database.list(
        "WITH present AS MATERIALIZED (SELECT key FROM @jobs WHERE key = ANY (?)"
            + " AND ? = ANY (running_epochs) FOR SHARE), added AS ("
            + INSERT
            + GIVEN
            + " WHERE t.job IN (SELECT key FROM present) ON CONFLICT DO NOTHING)"
            + " SELECT key, set_config('synchronous_commit', 'off', true) FROM present",
        row -> written.add(ids.get(row.getLong("key"))),
        values.toArray());
    return written;
  }

  /**
   * Appends to the journal of a running task, if the job is still of that version: nothing of a
   * worker that lost its claim comes behind what its successor has read.
   *
   * @return whether it was
   */
  public boolean append(JournalRow row, long version) {
    return database
        .first(
            "WITH present AS (SELECT key FROM @jobs WHERE key = ? AND version = ? FOR SHARE),"
                + " added AS (INSERT INTO @journal (job, position, stage, task, entry_epoch,"
                + " entry_number, epoch, number, waits, tokens, pieces)"
                + " SELECT key, nextval(?), ?, ?, ?, ?, ?, ?, ?, ?::int[], ?::json FROM present"
                + " RETURNING 1) SELECT set_config('synchronous_commit', 'off', true) FROM added",
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
        "SELECT position, epoch, number, waits, tokens, pieces::text AS pieces FROM @journal"
            + " WHERE job = ? AND stage = ? AND task = ? AND position >= ?"
            + " AND entry_epoch = ? AND entry_number = ?"
            + " AND (? OR cardinality(tokens) > 0 OR pieces::text <> '[]')"
            + " ORDER BY position LIMIT ?",
        JournalRows::row,
        job,
        stage,
        task,
        from,
        entry.epoch(),
        entry.number(),
        all,
        PAGE);
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
