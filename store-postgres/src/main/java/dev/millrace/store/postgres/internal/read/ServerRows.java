package dev.millrace.store.postgres.internal.read;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.postgres.internal.db.Database;
import java.util.List;

/** What servers announce. Thread-safe. */
public final class ServerRows {
  private final Database database;

  public ServerRows(Database database) {
    this.database = database;
  }

  /** A server that lives. */
  public record Entry(long epoch, String name, boolean ready, JsonObject info) {}

  public List<Entry> alive() {
    return database.list(
        "SELECT epoch, name, ready, coalesce(info::text, '{}') AS info FROM @servers"
            + " WHERE alive_until > now() ORDER BY epoch",
        row ->
            new Entry(
                row.getLong("epoch"),
                row.getString("name"),
                row.getBoolean("ready"),
                Json.object(row.getString("info"))));
  }

  public void announce(long epoch, JsonObject info, boolean ready) {
    database.update(
        "UPDATE @servers SET info = ?::json, ready = ? WHERE epoch = ?",
        Json.write(info),
        ready,
        epoch);
  }
}
