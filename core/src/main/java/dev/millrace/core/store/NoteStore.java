package dev.millrace.core.store;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Small durable notes about jobs that are not part of them: which request made a job, who is still
 * to be told of its end. A note is whole or not there, through any crash. Thread-safe.
 */
public interface NoteStore {

  /**
   * The notes on who is to be told what becomes of a job, named by its id: {@link
   * Submitting#submit} makes one, with the text {@code {"after":0}}, for each job that has webhooks,
   * before the job is there.
   */
  String WEBHOOKS = "webhooks";

  /** Most bytes in a note. */
  int MAX_BYTES = 64 * 1024;

  /** Most characters in the name of a note or a shelf: as many as a job's id may have. */
  int MAX_NAME = 128;

  /** Whether a note or a shelf can have that name. */
  static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME
        && name.chars()
            .allMatch(c -> c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-');
  }

  /** The name of a shelf or a note, if it is one. */
  static String requireName(String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "the name of a note or a shelf has 1 to "
              + MAX_NAME
              + " lower-case letters, digits, '_' or '-'");
    }
    return name;
  }

  /** The text of a note, if it is short enough. */
  static String requireText(String text) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a note has at most " + MAX_BYTES + " bytes, got " + bytes);
    }
    return text;
  }

  /** The note of that name, if it is there. */
  Optional<String> readNote(String collection, String name);

  /** The names of all notes of a shelf, in no order. */
  List<String> noteNames(String collection);

  /**
   * Writes a note, in place of one that is there; durable when this returns.
   *
   * @param shelf 1 to 128 lower-case letters, digits, '_' or '-', and so is {@code name}
   * @param text at most {@link #MAX_BYTES} bytes of UTF-8
   * @throws IllegalArgumentException if one of them breaks its rule
   */
  void writeNote(String collection, String name, String text);

  /** Removes a note, if it is there. After a power loss it may be back. */
  void deleteNote(String collection, String name);
}
