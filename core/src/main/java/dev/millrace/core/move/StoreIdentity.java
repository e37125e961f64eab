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

  /**
   * The id of a store that this process owns, which is made if it has none. It is durable when this
   * returns: jobs on their way name it.
   */
  public static String of(NoteStore notes) {
    String text = notes.readNote(COLLECTION, NAME).orElseGet(StoreIdentity::created);
    notes.writeNote(COLLECTION, NAME, text); // again: an earlier process may have been killed
    return read(text);
  }

  /** The same for a store that other processes use, too. */
  public static String ofShared(NoteStore notes) {
    if (notes.readNote(COLLECTION, NAME).isEmpty()) {
      notes.writeNoteAhead(COLLECTION, NAME, null, created()); // another process may be faster
    }
    String text = notes.readNote(COLLECTION, NAME).orElseThrow();
    notes.writeNote(COLLECTION, NAME, text);
    return read(text);
  }

  private static String created() {
    return Json.write(JsonObject.create().put(FIELD, UUID.randomUUID().toString()));
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
