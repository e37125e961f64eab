package dev.millrace.core.store;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Small durable notes about jobs that are not part of them: which request made a job, which webhook
 * deliveries are due, which types remote workers ask for. After a crash a note is complete or
 * absent, but see {@link #writeNoteAhead}. Thread-safe.
 */
public interface NoteStore {

  /**
   * The collection of notes on due webhook deliveries, each named by its job's id.
   * {@link JobSubmitter#submit} writes one with the text {@code {"after":0}} for each job that has
   * webhooks, before the job is visible.
   */
  String WEBHOOKS = "webhooks";

  /** The most bytes in a note. */
  int MAX_BYTES = 64 * 1024;

  /** The most characters in the name of a note or a collection: as many as in a job's id. */
  int MAX_NAME = 128;

  /** Whether a note or a collection can have that name. */
  static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME
        && name.chars()
            .allMatch(c -> c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-');
  }

  /** Refuses what cannot be the name of a note or a collection. */
  static String requireName(String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "the name of a note or a collection has 1 to "
              + MAX_NAME
              + " lower-case letters, digits, '_' or '-'");
    }
    return name;
  }

  /** Refuses a text that is too long for a note. */
  static String requireText(String text) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a note has at most " + MAX_BYTES + " bytes, got " + bytes);
    }
    return text;
  }

  /** The text of the note with that name; empty if there is none. */
  Optional<String> readNote(String collection, String name);

  /** The names of all notes in a collection, unsorted. */
  List<String> noteNames(String collection);

  /**
   * Writes or replaces a note; durable when this returns.
   *
   * @param collection 1 to 128 lower-case letters, digits, '_' or '-'; the same rule holds for
   *     {@code name}
   * @param text at most {@link #MAX_BYTES} bytes of UTF-8
   * @throws IllegalArgumentException if one of them breaks its rule
   */
  void writeNote(String collection, String name, String text);

  /**
   * Writes a note that a submission follows, unless another process has changed it. It is durable
   * before any job is visible that this process submits after this returns, and may be durable no
   * earlier. Of a submission and its note, a crash so leaves both, or the note, or none. It may
   * leave the note cut short, and so may a failure: the caller recognizes that, and needs no earlier
   * text of the note.
   *
   * @param known the text that the caller has read; null if there was no note. Inside one process,
   *     the callers for a note take turns.
   * @return whether it was written
   */
  default boolean writeNoteAhead(
      String collection, String name, @Nullable String known, String text) {
    boolean unchanged = Objects.equals(readNote(collection, name).orElse(null), known);
    if (unchanged) {
      writeNote(collection, name, text);
    }
    return unchanged;
  }

  /** Deletes a note, if it exists. After a power loss it may be back. */
  void deleteNote(String collection, String name);
}
