package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.internal.store.PartialOutput;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.postgres.internal.db.Database;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads results and other output, and writes what belongs to no entry of the log. Thread-safe. */
public final class ResultRows {
  private static final int RESERVED = 1_000; // as the sequence is defined

  private final Database database;
  private long nextKey; // guarded by this
  private long reserved;

  public ResultRows(Database database) {
    this.database = database;
  }

  /** A result that an append writes. */
  public record ResultRow(long key, TaskResult result, String json) {
    public static ResultRow of(long key, TaskResult result) {
      JsonObject json =
          JsonObject.create()
              .put("kind", result.kind().name())
              .put("text", result.text())
              .putIfPresent("receipt", result.receipt());
      return new ResultRow(key, result, Json.write(json));
    }
  }

  /** A key that no other result has or will have. */
  public synchronized long newKey() {
    if (reserved == 0) {
      nextKey =
          database
              .first("SELECT nextval(?)", row -> row.getLong(1), database.inSchema("@result_keys"))
              .orElseThrow();
      reserved = RESERVED;
    }
    reserved--;
    return nextKey++;
  }

  /** The results of a job with these keys, those that exist. */
  public Map<Long, TaskResult> results(long job, Collection<Long> keys) {
    Map<Long, TaskResult> found = new HashMap<>();
    if (!keys.isEmpty()) {
      database.list(
          "SELECT key, result::text AS result FROM @results WHERE job = ? AND key = ANY (?)",
          row -> found.put(row.getLong("key"), result(row.getString("result"))),
          job,
          keys.toArray(Long[]::new));
    }
    return found;
  }

  private static TaskResult result(String text) {
    JsonObject json = Json.object(text);
    return new TaskResult(
        TaskResult.Kind.valueOf(json.string("kind")),
        json.string("text"),
        json.has("receipt") ? json.object("receipt") : null);
  }

  /** Keeps output that is not a result. */
  public void keepPartial(long job, ClaimKey claim, PartialOutput partial) {
    JsonObject json =
        JsonObject.create()
            .putIfPresent("output", partial.output())
            .putIfPresent("receipt", partial.receipt());
    database.list(
        "WITH kept AS (INSERT INTO @partial_outputs (job, stage, task, epoch, number, output)"
            + " VALUES (?, ?, ?, ?, ?, ?::json) ON CONFLICT (job, stage, task, epoch, number)"
            + " DO UPDATE SET output = EXCLUDED.output RETURNING 1)"
            + " SELECT set_config('synchronous_commit', 'off', true) FROM kept",
        _ -> job,
        job,
        claim.stage(),
        claim.task(),
        claim.token().epoch(),
        claim.token().number(),
        Json.write(json));
  }

  /** What the worker of that claim reported; empty if nothing. */
  public Optional<String> partial(long job, int stage, int task, @Nullable FencingToken claim) {
    return claim == null
        ? Optional.empty()
        : database
            .first(
                "SELECT output::text AS output FROM @partial_outputs WHERE job = ? AND stage = ?"
                    + " AND task = ? AND epoch = ? AND number = ?",
                row -> Json.object(row.getString("output")),
                job,
                stage,
                task,
                claim.epoch(),
                claim.number())
            .map(json -> json.string("output", ""))
            .filter(text -> !text.isEmpty());
  }
}
