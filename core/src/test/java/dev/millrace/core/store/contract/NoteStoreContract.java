package dev.millrace.core.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.store.NoteStore;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Notes are complete or absent. */
abstract class NoteStoreContract extends ContractCase {
  private static final String LONG = "n".repeat(NoteStore.MAX_NAME);

  @Test
  void aNoteIsReadAsItWasWritten() {
    String odd = "two\nlines, \"quotes\", é😀, \u2028, \\ and \t";
    store.writeNote("keys", "one", odd);
    store.writeNote("keys", LONG, "");
    store.writeNote("a-b_9", "0", "x".repeat(NoteStore.MAX_BYTES));
    for (int time = 0; time < 2; time++) {
      assertThat(store.readNote("keys", "one")).contains(odd);
      assertThat(store.readNote("keys", LONG)).contains("");
      assertThat(store.readNote("a-b_9", "0").orElseThrow()).hasSize(NoteStore.MAX_BYTES);
      assertThat(store.noteNames("keys")).containsExactlyInAnyOrder("one", LONG);
      crash();
    }
  }

  @Test
  void aMissingNoteIsEmpty() {
    assertThat(store.readNote("keys", "one")).isEmpty();
    assertThat(store.noteNames("keys")).isEmpty();
    store.deleteNote("keys", "one");
    store.writeNote("keys", "one", "1");
    assertThat(store.readNote("other", "one")).isEmpty();
    assertThat(store.readNote("keys", "two")).isEmpty();
    assertThat(store.noteNames("other")).isEmpty();
  }

  @Test
  void aNoteIsReplacedAndDeleted() {
    store.writeNote("keys", "one", "a longer text than the next");
    store.writeNote("keys", "two", "2");
    store.writeNote("keys", "one", "1");
    assertThat(store.readNote("keys", "one")).contains("1");
    crash();
    assertThat(store.noteNames("keys")).containsExactlyInAnyOrder("one", "two");
    assertThat(store.readNote("keys", "one")).contains("1");
    assertThat(store.readNote("keys", "two")).contains("2");
    store.deleteNote("keys", "one");
    store.deleteNote("keys", "one");
    assertThat(store.readNote("keys", "one")).isEmpty();
    assertThat(store.noteNames("keys")).containsExactly("two");
    store.writeNote("keys", "one", "again");
    reopen();
    assertThat(store.readNote("keys", "one")).contains("again");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "../x", "a/b", "A", "a b", "é", "a.b", "a\n", "a\0", " "})
  void anInvalidNameIsRefused(String name) {
    for (String odd : List.of(name, name + "n".repeat(NoteStore.MAX_NAME + 1))) {
      assertRefused(() -> store.writeNote("keys", odd, "x"));
      assertRefused(() -> store.writeNote(odd, "name", "x"));
      assertRefused(() -> store.readNote("keys", odd));
      assertRefused(() -> store.readNote(odd, "name"));
      assertRefused(() -> store.noteNames(odd));
      assertRefused(() -> store.deleteNote("keys", odd));
      assertRefused(() -> store.deleteNote(odd, "name"));
    }
    assertThat(store.noteNames("keys")).isEmpty();
  }

  private static void assertRefused(Runnable act) {
    assertThatThrownBy(act::run).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aNoteThatIsTooLongIsRefusedAndTheOldOneStays() {
    store.writeNote("keys", "one", "old");
    assertRefused(() -> store.writeNote("keys", "one", "x".repeat(NoteStore.MAX_BYTES + 1)));
    assertRefused(() -> store.writeNote("keys", "one", "é".repeat(NoteStore.MAX_BYTES / 2 + 1)));
    assertThat(store.readNote("keys", "one")).contains("old");
  }

  @Test
  void concurrentWritersLeaveACompleteNoteForEveryReader() throws Exception {
    List<Callable<Void>> all =
        IntStream.range(0, 64)
            .<Callable<Void>>mapToObj(
                i ->
                    () -> {
                      store.writeNote("keys", "shared", ("" + i % 10).repeat(2_000));
                      store.writeNote("keys", "own-" + i, "" + i);
                      String seen = store.readNote("keys", "shared").orElseThrow();
                      assertThat(seen).isEqualTo(seen.substring(0, 1).repeat(2_000));
                      return null;
                    })
            .toList();
    try (ExecutorService pool = Executors.newFixedThreadPool(8)) {
      for (var each : pool.invokeAll(all)) {
        each.get();
      }
    }
    crash();
    assertThat(store.noteNames("keys")).hasSize(65);
    assertThat(store.readNote("keys", "own-63")).contains("63");
  }
}
