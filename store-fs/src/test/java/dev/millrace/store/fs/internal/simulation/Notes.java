package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.JobStore;
import java.util.Optional;

/** Writes, reads and deletes notes. */
final class Notes implements Runnable {
  private final World world;
  private final JobStore store;

  Notes(World world) {
    this.world = world;
    this.store = world.store;
  }

  @Override
  public void run() {
    String name = "note-" + world.random.nextInt(3);
    NoteHistory note = world.history.note(name);
    switch (world.random.nextInt(6)) {
      case 0 -> change(name, note.ask(null), () -> store.deleteNote(HistoryCheck.NOTES, name));
      case 1, 2 -> {
        Optional<Optional<String>> read = world.ask(() -> store.readNote(HistoryCheck.NOTES, name));
        read.ifPresent(
            text -> assertThat(note.allows(text)).as("note %s: %s", name, text).isTrue());
      }
      case 3 -> world.ask(() -> store.noteNames(HistoryCheck.NOTES));
      default -> {
        String text = world.history.unique("text");
        change(name, note.ask(text), () -> store.writeNote(HistoryCheck.NOTES, name, text));
      }
    }
  }

  private void change(String name, NoteHistory.Change change, Runnable call) {
    if (world.run(call)) {
      NoteHistory note = world.history.note(name);
      note.acknowledge(change);
      world.faults.acknowledged(name, note);
    }
  }
}
