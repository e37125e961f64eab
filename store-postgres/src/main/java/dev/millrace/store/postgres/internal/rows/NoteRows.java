package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.json.Json;
import dev.millrace.core.store.NoteStore;
import dev.millrace.store.postgres.internal.db.Database;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Notes as rows, whose texts are JSON strings: a text of the database cannot have every character. */
public final class NoteRows implements NoteStore {
  private final Database database;

  public NoteRows(Database database) {
    this.database = database;
  }

  @Override
  public Optional<String> readNote(String collection, String name) {
    return database.first(
        "SELECT note::text AS note FROM @notes WHERE collection = ? AND name = ?",
        row -> (String) Objects.requireNonNull(Json.parse(row.getString("note"))),
        NoteStore.requireName(collection),
        NoteStore.requireName(name));
  }

  @Override
  public List<String> noteNames(String collection) {
    return database.list(
        "SELECT name FROM @notes WHERE collection = ? ORDER BY name",
        row -> row.getString("name"),
        NoteStore.requireName(collection));
  }

  @Override
  public void writeNote(String collection, String name, String text) {
    database.update(
        "INSERT INTO @notes (collection, name, note) VALUES (?, ?, ?::json)"
            + " ON CONFLICT (collection, name) DO UPDATE SET note = EXCLUDED.note",
        NoteStore.requireName(collection),
        NoteStore.requireName(name),
        Json.write(NoteStore.requireText(text)));
  }

  /**
   * Waits for the disk. The job's commit would make it durable, but only if the database does not
   * crash between the two: then the job would be there without its note.
   */
  @Override
  public boolean writeNoteAhead(
      String collection, String name, @Nullable String known, String text) {
    String key = NoteStore.requireName(collection);
    String note = Json.write(NoteStore.requireText(text));
    return known == null
        ? wrote(
            "INSERT INTO @notes (collection, name, note) VALUES (?, ?, ?::json)"
                + " ON CONFLICT DO NOTHING RETURNING 1",
            key,
            NoteStore.requireName(name),
            note)
        : wrote(
            "UPDATE @notes SET note = ?::json WHERE collection = ? AND name = ? AND note::text = ?"
                + " RETURNING 1",
            note,
            key,
            NoteStore.requireName(name),
            Json.write(known));
  }

  private boolean wrote(String statement, Object... values) {
    return database.first(statement, _ -> true, values).isPresent();
  }

  @Override
  public void deleteNote(String collection, String name) {
    database.update(
        "DELETE FROM @notes WHERE collection = ? AND name = ?",
        NoteStore.requireName(collection),
        NoteStore.requireName(name));
  }
}
