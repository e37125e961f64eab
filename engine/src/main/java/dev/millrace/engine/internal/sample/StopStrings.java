package dev.millrace.engine.internal.sample;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.match.AhoCorasick;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds stop strings in a text that arrives in pieces, and returns the text that may be shown. The
 * stop string that is complete first ends the text; of several complete at the same character the
 * longest counts. The stop string and everything after it are dropped. Text that could still become
 * a stop string is held back. The result does not depend on how the text is cut into pieces. For
 * one thread at a time.
 */
public final class StopStrings {
  private final List<String> stops;
  private final AhoCorasick search;
  private final StringBuilder held = new StringBuilder();
  private int state;
  private @Nullable String match;

  public StopStrings(List<String> stops) {
    this.stops = List.copyOf(stops);
    int empty = this.stops.indexOf("");
    if (empty >= 0) {
      throw new EngineException(
          "stop strings: number %d is empty; each must have a character".formatted(empty));
    }
    search = new AhoCorasick(this.stops);
  }

  /**
   * Takes the next piece; returns the text that is certain to stay, and "" after a stop string is
   * complete.
   */
  public String push(String piece) {
    if (match != null) {
      return "";
    }
    if (stops.isEmpty()) {
      return piece;
    }
    for (int i = 0; i < piece.length(); i++) {
      held.append(piece.charAt(i));
      state = search.next(state, piece.charAt(i));
      if (search.longest(state) >= 0) {
        match = stops.get(search.longest(state));
        held.setLength(held.length() - match.length());
        return release(held.length());
      }
    }
    return release(held.length() - search.matched(state));
  }

  /** The text that was held back, at the end of the text. */
  public String flush() {
    return release(held.length());
  }

  /** Whether a stop string is complete. */
  public boolean isStopped() {
    return match != null;
  }

  /** The stop string that ended the text; null if none has. */
  public @Nullable String match() {
    return match;
  }

  private String release(int count) {
    String text = held.substring(0, count);
    held.delete(0, count);
    return text;
  }
}
