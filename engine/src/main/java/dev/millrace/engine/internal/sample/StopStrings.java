package dev.millrace.engine.internal.sample;

import dev.millrace.engine.error.EngineException;
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
  private final int[][]
      fallbacks; // (stop, matched characters) -> the longest border, as Knuth, Morris and Pratt do
  private final int[] matched; // characters of each stop that the text ends with
  private final StringBuilder held = new StringBuilder();
  private @Nullable String match;

  public StopStrings(List<String> stops) {
    this.stops = List.copyOf(stops);
    fallbacks = new int[stops.size()][];
    matched = new int[stops.size()];
    for (int i = 0; i < stops.size(); i++) {
      if (stops.get(i).isEmpty()) {
        throw new EngineException(
            "stop strings: number %d is empty; each must have a character".formatted(i));
      }
      fallbacks[i] = fallbacks(stops.get(i));
    }
  }

  private static int[] fallbacks(String stop) {
    int[] borders = new int[stop.length()];
    int border = 0;
    for (int i = 1; i < borders.length; i++) {
      while (border > 0 && stop.charAt(i) != stop.charAt(border)) {
        border = borders[border - 1];
      }
      border += stop.charAt(i) == stop.charAt(border) ? 1 : 0;
      borders[i] = border;
    }
    return borders;
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
      advance(piece.charAt(i));
      if (match != null) {
        held.setLength(held.length() - match.length());
        return release(held.length());
      }
    }
    int longest = 0;
    for (int length : matched) {
      longest = Math.max(longest, length);
    }
    return release(held.length() - longest);
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

  private void advance(char next) {
    for (int i = 0; i < matched.length; i++) {
      String stop = stops.get(i);
      int length = matched[i];
      while (length > 0 && stop.charAt(length) != next) {
        length = fallbacks[i][length - 1];
      }
      matched[i] = stop.charAt(length) == next ? length + 1 : 0;
      if (matched[i] == stop.length() && (match == null || match.length() < stop.length())) {
        match = stop;
      }
    }
  }

  private String release(int count) {
    String text = held.substring(0, count);
    held.delete(0, count);
    return text;
  }
}
