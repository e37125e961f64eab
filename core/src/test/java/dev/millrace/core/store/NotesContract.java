package dev.millrace.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small notes: whole or not there. */
abstract class NotesContract extends ContractCase {
  private static final String LONG = "n".repeat(Notebook.MAX_NAME);

  @Test
  void aNoteIsReadAsItWasWritten() {
    String odd = "two\nlines, \"quotes\", é😀, \u2028, \\ and \t";
    store.keep("keys", "one", odd);
    store.keep("keys", LONG, "");
    store.keep("a-b_9", "0", "x".repeat(Notebook.MAX_BYTES));
    for (int time = 0; time < 2; time++) {
      assertThat(store.note("keys", "one")).contains(odd);
      assertThat(store.note("keys", LONG)).contains("");
      assertThat(store.note("a-b_9", "0").orElseThrow()).hasSize(Notebook.MAX_BYTES);
      assertThat(store.names("keys")).containsExactlyInAnyOrder("one", LONG);
      crash();
    }
  }

  @Test
  void whatIsNotThereIsEmpty() {
    assertThat(store.note("keys", "one")).isEmpty();
    assertThat(store.names("keys")).isEmpty();
    store.drop("keys", "one");
    store.keep("keys", "one", "1");
    assertThat(store.note("other", "one")).isEmpty();
    assertThat(store.note("keys", "two")).isEmpty();
    assertThat(store.names("other")).isEmpty();
  }

  @Test
  void aNoteIsReplacedAndDropped() {
    store.keep("keys", "one", "a longer text than the next");
    store.keep("keys", "two", "2");
    store.keep("keys", "one", "1");
    assertThat(store.note("keys", "one")).contains("1");
    crash();
    assertThat(store.names("keys")).containsExactlyInAnyOrder("one", "two");
    assertThat(store.note("keys", "one")).contains("1");
    assertThat(store.note("keys", "two")).contains("2");
    store.drop("keys", "one");
    store.drop("keys", "one");
    assertThat(store.note("keys", "one")).isEmpty();
    assertThat(store.names("keys")).containsExactly("two");
    store.keep("keys", "one", "again");
    reopen();
    assertThat(store.note("keys", "one")).contains("again");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "../x", "a/b", "A", "a b", "é", "a.b", "a\n", "a\0", " "})
  void anOddNameIsRefused(String name) {
    for (String odd : List.of(name, name + "n".repeat(Notebook.MAX_NAME + 1))) {
      assertRefused(() -> store.keep("keys", odd, "x"));
      assertRefused(() -> store.keep(odd, "name", "x"));
      assertRefused(() -> store.note("keys", odd));
      assertRefused(() -> store.note(odd, "name"));
      assertRefused(() -> store.names(odd));
      assertRefused(() -> store.drop("keys", odd));
      assertRefused(() -> store.drop(odd, "name"));
    }
    assertThat(store.names("keys")).isEmpty();
  }

  private static void assertRefused(Runnable act) {
    assertThatThrownBy(act::run).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aNoteThatIsTooLongIsRefusedAndTheOldOneStays() {
    store.keep("keys", "one", "old");
    assertRefused(() -> store.keep("keys", "one", "x".repeat(Notebook.MAX_BYTES + 1)));
    assertRefused(() -> store.keep("keys", "one", "é".repeat(Notebook.MAX_BYTES / 2 + 1)));
    assertThat(store.note("keys", "one")).contains("old");
  }

  @Test
  void manyWriteAtOnceAndEveryReaderSeesAWholeNote() throws Exception {
    List<Callable<Void>> all =
        IntStream.range(0, 64)
            .<Callable<Void>>mapToObj(
                i ->
                    () -> {
                      store.keep("keys", "shared", ("" + i % 10).repeat(2_000));
                      store.keep("keys", "own-" + i, "" + i);
                      String seen = store.note("keys", "shared").orElseThrow();
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
    assertThat(store.names("keys")).hasSize(65);
    assertThat(store.note("keys", "own-63")).contains("63");
  }
}
