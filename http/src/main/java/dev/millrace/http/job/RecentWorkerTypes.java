package dev.millrace.http.job;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger.Level;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The stage types that remote workers asked for within {@link #LIFETIME}, whether they got a task
 * or not. Each is a note in the store, so that they are still known after a restart. A note is
 * written at most once per {@link #NOTE_INTERVAL}, so that polling costs nothing; a type may
 * therefore be known that much longer. Thread-safe.
 */
public final class RecentWorkerTypes {
  /** How long a type is known after a worker asked for it. */
  static final Duration LIFETIME = Duration.ofHours(24);

  static final Duration NOTE_INTERVAL = Duration.ofHours(1);

  /** The most types; more of them replace the oldest that no worker asked for lately. */
  static final int MAX_TYPES = 1_000;

  static final String SHELF = "worker-types";

  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final NoteStore store;
  private final InstantSource clock;

  /** When each type was noted; written under the lock of this. */
  private final Map<String, Instant> noted = new ConcurrentHashMap<>();

  private RecentWorkerTypes(NoteStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Reads the notes of earlier servers. Notes that cannot be read are left out. */
  public static RecentWorkerTypes load(NoteStore store, InstantSource clock) {
    RecentWorkerTypes types = new RecentWorkerTypes(store, clock);
    try {
      for (String name : store.noteNames(SHELF)) {
        store.readNote(SHELF, name).ifPresent(types::read);
      }
    } catch (StoreException e) {
      LOG.log(Level.WARNING, "cannot read the types of remote workers: " + e.getMessage());
    }
    return types;
  }

  private synchronized void read(String text) {
    try {
      JsonObject note = Json.object(text);
      noted.put(note.string("type"), Instant.parse(note.string("at")));
    } catch (JsonException | DateTimeException e) {
      // not a valid note: the next request of a worker replaces it
    }
  }

  /** The types that are known now. */
  public Set<String> recent() {
    Instant now = clock.instant();
    return noted.entrySet().stream()
        .filter(entry -> !isExpired(entry.getValue(), now))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Records that a worker asks for tasks of this type. Never fails. */
  public void markSeen(String type) {
    Instant now = clock.instant();
    if (isDue(type, now)) {
      note(type, now);
    }
  }

  private boolean isDue(String type, Instant now) {
    Instant last = noted.get(type);
    return last == null
        || now.isBefore(last) // the clock was set back: else the type would be known too long
        || !now.isBefore(last.plus(NOTE_INTERVAL));
  }

  private synchronized void note(String type, Instant now) {
    if (!isDue(type, now)) {
      return; // another request was faster
    }
    try {
      deleteExpired(now);
      if (!noted.containsKey(type) && !makeRoom(now)) {
        return;
      }
      noted.put(type, now); // first: a store that fails must not be asked at every poll
      JsonObject note = JsonObject.create().put("type", type).put("at", now.toString());
      store.writeNote(SHELF, name(type), note.toString());
    } catch (StoreException e) {
      LOG.log(
          Level.WARNING,
          "cannot note the type \""
              + type
              + "\" of a remote worker, it is forgotten at a restart: "
              + e.getMessage());
    }
  }

  private void deleteExpired(Instant now) {
    List<String> expired =
        noted.entrySet().stream()
            .filter(entry -> isExpired(entry.getValue(), now))
            .map(Map.Entry::getKey)
            .toList();
    expired.forEach(this::delete);
  }

  /** Deletes the oldest type if there are too many; false if workers use all of them. */
  private boolean makeRoom(Instant now) {
    if (noted.size() < MAX_TYPES) {
      return true;
    }
    String oldest =
        noted.entrySet().stream()
            .min(Comparator.comparing(Map.Entry::getValue))
            .map(Map.Entry::getKey)
            .orElseThrow();
    boolean unused = isDue(oldest, now);
    if (unused) {
      delete(oldest);
    }
    return unused;
  }

  private void delete(String type) {
    noted.remove(type);
    store.deleteNote(SHELF, name(type));
  }

  private static boolean isExpired(Instant at, Instant now) {
    return !now.isBefore(at.plus(LIFETIME).plus(NOTE_INTERVAL));
  }

  /** A type may have any characters; the name of a note may not. */
  private static String name(String type) {
    return RequestFingerprint.of(type);
  }
}
