package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.internal.store.TaskJournal;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.postgres.internal.db.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads and writes the tokens of running tasks. Thread-safe. */
public final class JournalRows {
  private static final int PAGE = 1_000;

  private final Database database;

  public JournalRows(Database database) {
    this.database = database;
  }

  private record Row(long position, FencingToken claim, OutputChunk chunk) {}

  /**
   * Appends to the journal of a running task, if the job is still of that version: nothing of a
   * worker that lost its claim comes behind what its successor has read.
   *
   * @param entry the log entry that the journal belongs to
   * @return whether it was
   */
  public boolean append(
      long job, long version, ClaimKey claim, FencingToken entry, OutputChunk chunk) {
    return database
        .first(
            "WITH present AS (SELECT key FROM @jobs WHERE key = ? AND version = ? FOR SHARE),"
                + " added AS (INSERT INTO @journal (job, stage, task, entry_epoch, entry_number,"
                + " epoch, number, waits, tokens, pieces)"
                + " SELECT key, ?, ?, ?, ?, ?, ?, ?, ?, ?::json FROM present RETURNING 1)"
                + " SELECT set_config('synchronous_commit', 'off', true) FROM added",
            _ -> true,
            job,
            version,
            claim.stage(),
            claim.task(),
            entry.epoch(),
            entry.number(),
            claim.token().epoch(),
            claim.token().number(),
            chunk.waits(),
            chunk.tokens().toArray(Integer[]::new),
            Json.write(chunk.pieces()))
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
