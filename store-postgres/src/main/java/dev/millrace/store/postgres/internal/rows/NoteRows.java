package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.json.Json;
import dev.millrace.core.store.NoteStore;
import dev.millrace.store.postgres.internal.db.Database;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

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

  @Override
  public boolean createNote(String collection, String name, String text) {
    return database.update(
            "INSERT INTO @notes (collection, name, note) VALUES (?, ?, ?::json)"
                + " ON CONFLICT DO NOTHING",
            NoteStore.requireName(collection),
            NoteStore.requireName(name),
            Json.write(NoteStore.requireText(text)))
        > 0;
  }

  @Override
  public void deleteNote(String collection, String name) {
    database.update(
        "DELETE FROM @notes WHERE collection = ? AND name = ?",
        NoteStore.requireName(collection),
        NoteStore.requireName(name));
  }
}
