package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;

/** A row to be written. Its position is given to it once, so that it is written once. */
public final class JournalRow {
  final JobId id;
  final long job;
  private final ClaimKey claim;
  private final FencingToken entry;
  private final OutputChunk chunk;
  long position; // 0: not known yet
  long incarnation; // of the database that has the rows before it

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

  /** Under which its task was claimed. */
  long epoch() {
    return claim.token().epoch();
  }

  /** It is written only if the database has not crashed since. */
  public void under(long databaseIncarnation) {
    incarnation = databaseIncarnation;
  }

  /** Its columns without the position, as one text for each. */
  Object[] columns() {
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
