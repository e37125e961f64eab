package dev.millrace.store.fs.internal.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What callers were told of one note. */
final class NoteHistory {
  /** A write, or a deletion if it has no text. */
  static final class Change {
    final @Nullable String text;
    final long asked;
    long acknowledged = Long.MAX_VALUE;

    Change(@Nullable String text, long asked) {
      this.text = text;
      this.asked = asked;
    }
  }

  private final List<Change> changes = new ArrayList<>();
  private long time;

  Change ask(@Nullable String text) {
    Change change = new Change(text, ++time);
    changes.add(change);
    return change;
  }

  void acknowledge(Change change) {
    change.acknowledged = ++time;
  }

  /**
   * Whether a reader may see this: what was written, unless it was overwritten by what was both
   * asked for and acknowledged later. A deletion may be undone by a power loss.
   */
  boolean allows(Optional<String> read) {
    if (read.isEmpty()) {
      return changes.stream().noneMatch(this::surelyThere);
    }
    return changes.stream()
        .anyMatch(change -> read.get().equals(change.text) && !isOverwritten(change));
  }

  private boolean isOverwritten(Change change) {
    return changes.stream()
        .anyMatch(
            later ->
                later.text != null
                    && later.asked > change.acknowledged
                    && later.acknowledged < Long.MAX_VALUE);
  }

  /** An acknowledged write after which nobody has asked for a deletion. */
  private boolean surelyThere(Change write) {
    return write.text != null
        && write.acknowledged < Long.MAX_VALUE
        && changes.stream()
            .noneMatch(other -> other.text == null && other.acknowledged > write.asked);
  }
}
