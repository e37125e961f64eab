package dev.millrace.core.store.memory;

import dev.millrace.core.store.NoteStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Notes in memory. */
final class MemoryNotes implements NoteStore {
  private final MemoryContents contents;

  MemoryNotes(MemoryContents contents) {
    this.contents = contents;
  }

  @Override
  public Optional<String> readNote(String collection, String name) {
    NoteStore.requireName(name);
    synchronized (contents) {
      return Optional.ofNullable(notes(collection).get(name));
    }
  }

  @Override
  public List<String> noteNames(String collection) {
    synchronized (contents) {
      return List.copyOf(notes(collection).keySet());
    }
  }

  private Map<String, String> notes(String collection) {
    return contents.notes.getOrDefault(NoteStore.requireName(collection), new TreeMap<>());
  }

  @Override
  public void writeNote(String collection, String name, String text) {
    NoteStore.requireText(text);
    synchronized (contents) {
      contents
          .notes
          .computeIfAbsent(NoteStore.requireName(collection), _ -> new TreeMap<>())
          .put(NoteStore.requireName(name), text);
    }
  }

  @Override
  public void deleteNote(String collection, String name) {
    NoteStore.requireName(name);
    synchronized (contents) {
      notes(collection).remove(name);
    }
  }
}
