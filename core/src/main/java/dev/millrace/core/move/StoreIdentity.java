package dev.millrace.core.move;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.StoreException;
import java.util.Optional;
import java.util.UUID;

/** The random id of a store, in a note. A copy of the store has the same. */
public final class StoreIdentity {
  private static final String COLLECTION = "store";
  private static final String NAME = "identity";
  private static final String FIELD = "id";

  private StoreIdentity() {}

  /** The id of a store, if it has one yet. */
  public static Optional<String> known(NoteStore notes) {
    return notes.readNote(COLLECTION, NAME).map(StoreIdentity::read);
  }

  /** The id of a store, which is made if it has none. */
  public static String of(NoteStore notes) {
    Optional<String> known = known(notes);
    if (known.isEmpty()) {
      String id = UUID.randomUUID().toString();
      String text = Json.write(JsonObject.create().put(FIELD, id));
      notes.writeNoteAhead(COLLECTION, NAME, null, text); // another process may be faster
    }
    return known.orElseGet(() -> known(notes).orElseThrow());
  }

  private static String read(String note) {
    try {
      return Json.object(note).string(FIELD);
    } catch (JsonException e) {
      throw new StoreException(
          "the note " + COLLECTION + "/" + NAME + " is damaged: " + e.getMessage(), e);
    }
  }
}
