package dev.millrace.http.job;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.time.ProcessTimeline;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The notes that link idempotency keys with jobs. A key is read and written by one thread at a
 * time, within {@link #locked}. Thread-safe.
 */
final class IdempotencyNotes {
  static final String SHELF = "keys";

  private final NoteStore store;
  private final ProcessTimeline timeline;
  private final Duration lifetime;
  private final Stripe[] stripes = new Stripe[1024];

  /**
   * @param lifetime after which a key is forgotten
   */
  IdempotencyNotes(NoteStore store, ProcessTimeline timeline, Duration lifetime) {
    this.store = store;
    this.timeline = timeline;
    this.lifetime = lifetime;
    Arrays.setAll(stripes, _ -> new Stripe());
  }

  /** A lock for some of the keys, and how many of them got a note. */
  private static final class Stripe {
    private final ReentrantLock lock = new ReentrantLock();
    private long written; // guarded by the lock
  }

  /**
   * The stored note of a key.
   *
   * @param created whether the job is known to exist or to have existed
   */
  record Note(JobId id, String fingerprint, Instant at, boolean created) {
    Note asCreated() {
      return new Note(id, fingerprint, at, true);
    }

    private String text() {
      return JsonObject.create()
          .put("id", id.value())
          .put("fingerprint", fingerprint)
          .put("at", at.toString())
          .put("made", created)
          .toString();
    }

    /** Null if the text is not a valid note, as one that a crash cut short: it is then ignored. */
    private static @Nullable Note read(String text) {
      try {
        JsonObject in = Json.object(text);
        return new Note(
            new JobId(in.string("id")),
            in.string("fingerprint"),
            Instant.parse(in.string("at")),
            in.flag("made", false));
      } catch (JsonException | IllegalArgumentException | DateTimeException e) {
        return null;
      }
    }
  }

  /**
   * The names that the note of a key may have.
   *
   * @param own of the API, the principal and the key
   * @param shared of the principal and the key alone. Notes had this name when all APIs shared
   *     their keys; such a note counts for every API until it expires.
   */
  record Key(String own, String shared) {
    static Key of(String api, String principal, String key) {
      return new Key(
          RequestFingerprint.of(api, principal, key), RequestFingerprint.of(principal, key));
    }
  }

  /**
   * A note and its name.
   *
   * @param stored the text that the store has under that name; null if none
   */
  record Found(String name, Note note, @Nullable String stored) {}

  /**
   * What was found of a key.
   *
   * @param found null if there is no note that counts
   * @param own the text under the key's own name, also if it does not count; null if none
   * @param written how many keys of its stripe had got a note until then
   */
  record Lookup(@Nullable Found found, @Nullable String own, long written) {}

  /** Runs while no other thread reads or writes the notes of this key. */
  <T> T locked(Key key, Supplier<T> act) {
    return locked(key.own(), act);
  }

  private <T> T locked(String name, Supplier<T> act) {
    ReentrantLock lock = stripe(name).lock;
    lock.lock();
    try {
      return act.get();
    } finally {
      lock.unlock();
    }
  }

  private Stripe stripe(String name) {
    return stripes[Math.floorMod(name.hashCode(), stripes.length)];
  }

  Lookup lookUp(Key key) {
    String own = stored(key.own());
    Found found = found(key.own(), own);
    return new Lookup(
        found != null ? found : found(key.shared(), stored(key.shared())),
        own,
        stripe(key.own()).written);
  }

  /** As {@link #lookUp}, without reading files if an earlier look found none and none came since. */
  Lookup lookUpAgain(Key key, Lookup earlier) {
    boolean none = earlier.found() == null && earlier.written() == stripe(key.own()).written;
    return none ? earlier : lookUp(key);
  }

  private @Nullable String stored(String name) {
    return store.readNote(SHELF, name).orElse(null);
  }

  private @Nullable Found found(String name, @Nullable String stored) {
    Note note = stored == null ? null : Note.read(stored);
    return note == null || isExpired(note) ? null : new Found(name, note, stored);
  }

  private boolean isExpired(Note note) {
    Instant end = timeline.submitted(note.at()).plus(lifetime);
    return !timeline.now().steady().isBefore(end);
  }

  /**
   * Notes the job that is submitted next; durable before the job is visible.
   *
   * @return false if another server has changed the note since it was read
   */
  boolean writeAhead(Key key, Found wanted) {
    stripe(key.own()).written++;
    return store.writeNoteAhead(SHELF, wanted.name(), wanted.stored(), wanted.note().text());
  }

  void replace(Found found, Note note) {
    store.writeNote(SHELF, found.name(), note.text());
  }

  void delete(Found found) {
    store.deleteNote(SHELF, found.name());
  }

  /** Deletes the notes of expired keys, until {@code stopped}. */
  void deleteExpired(BooleanSupplier stopped) {
    for (String name : store.noteNames(SHELF)) {
      if (stopped.getAsBoolean()) {
        return;
      }
      locked(name, () -> deleteIfExpired(name));
    }
  }

  /** Returns whether there is none now. */
  private boolean deleteIfExpired(String name) {
    boolean over = found(name, stored(name)) == null;
    if (over) {
      store.deleteNote(SHELF, name);
    }
    return over;
  }
}
