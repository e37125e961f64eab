package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.JobStore;
import java.util.Optional;

/** Writes, reads and deletes notes. */
final class NoteClient implements Runnable {
  private final ActorContext context;
  private final JobStore store;

  NoteClient(ActorContext context) {
    this.context = context;
    this.store = context.store;
  }

  @Override
  public void run() {
    String name = "note-" + context.random.nextInt(3);
    NoteHistory note = context.history.note(name);
    switch (context.random.nextInt(6)) {
      case 0 -> change(name, note.ask(null), () -> store.deleteNote(HistoryCheck.NOTES, name));
      case 1, 2 -> {
        Optional<Optional<String>> read =
            context.ask(() -> store.readNote(HistoryCheck.NOTES, name));
        read.ifPresent(
            text -> assertThat(note.allows(text)).as("note %s: %s", name, text).isTrue());
      }
      case 3 -> context.ask(() -> store.noteNames(HistoryCheck.NOTES));
      default -> {
        String text = context.history.unique("text");
        change(name, note.ask(text), () -> store.writeNote(HistoryCheck.NOTES, name, text));
      }
    }
  }

  private void change(String name, NoteHistory.Change change, Runnable call) {
    if (context.run(call)) {
      NoteHistory note = context.history.note(name);
      note.acknowledge(change);
      context.faults.acknowledged(name, note);
    }
  }
}
