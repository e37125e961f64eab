package dev.millrace.engine.internal.sample;

import dev.millrace.engine.api.StopScope;
import dev.millrace.engine.api.ThoughtTags;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds stop strings in the part of an output where they count: see {@link StopScope}. The rest of
 * the output is shown as it is. For one thread at a time.
 */
public final class AnswerStops {
  private enum Region {
    /** White space, and then a part of the opening tag: thoughts or an answer. */
    UNDECIDED,
    THOUGHTS,
    /** White space after thoughts. */
    BEFORE_ANSWER,
    ANSWER,
    CALLS
  }

  private final StopStrings stops;
  private final boolean everywhere;
  private final @Nullable ThoughtTags tags;
  private final List<String> calls;
  private final BooleanSupplier constrained;
  private final StringBuilder undecided = new StringBuilder();
  private final StringBuilder recent = new StringBuilder(); // of the region
  private int opened; // characters of the opening tag
  private Region region;

  /**
   * @param constrained whether the constraint of the output holds by now
   */
  public AnswerStops(List<String> stops, StopScope scope, BooleanSupplier constrained) {
    this.stops = new StopStrings(stops);
    this.everywhere = stops.isEmpty() || scope.equals(StopScope.OUTPUT);
    this.tags = scope.thoughts();
    this.calls = scope.calls();
    this.constrained = constrained;
    if (tags == null) {
      region = Region.ANSWER;
    } else {
      region = tags.opened() ? Region.THOUGHTS : Region.UNDECIDED;
    }
  }

  /** As {@link StopStrings#push}. */
  public String push(String piece) {
    if (everywhere) {
      return stops.push(piece);
    }
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < piece.length() && !stops.isStopped(); i++) {
      push(piece.charAt(i), shown);
    }
    return shown.toString();
  }

  private void push(char c, StringBuilder shown) {
    switch (region) {
      case UNDECIDED -> decide(c, shown);
      case THOUGHTS -> think(c, shown);
      case BEFORE_ANSWER -> {
        if (Character.isWhitespace(c)) {
          shown.append(c);
        } else {
          region = Region.ANSWER;
          answer(c, shown);
        }
      }
      case ANSWER -> answer(c, shown);
      case CALLS -> shown.append(c);
    }
  }

  private void decide(char c, StringBuilder shown) {
    String open = tags == null ? "" : tags.open();
    undecided.append(c);
    if (opened == 0 && Character.isWhitespace(c)) {
      return;
    }
    if (open.charAt(opened) != c) {
      shown.append(endUndecided());
    } else if (++opened == open.length()) {
      region = Region.THOUGHTS;
      shown.append(undecided);
      undecided.setLength(0);
    }
  }

  /** What looked like the beginning of thoughts is answer. */
  private String endUndecided() {
    region = Region.ANSWER;
    String held = undecided.toString();
    undecided.setLength(0);
    return push(held);
  }

  private void think(char c, StringBuilder shown) {
    shown.append(c);
    if (tags != null && endsWithOneOf(List.of(tags.close()), c)) {
      region = Region.BEFORE_ANSWER;
      recent.setLength(0);
    }
  }

  private void answer(char c, StringBuilder shown) {
    shown.append(stops.push(String.valueOf(c)));
    if (!stops.isStopped() && endsWithOneOf(calls, c) && constrained.getAsBoolean()) {
      region = Region.CALLS;
      shown.append(stops.flush());
    }
  }

  /** Adds a character to the recent ones, as many as the longest text has. */
  private boolean endsWithOneOf(List<String> texts, char c) {
    recent.append(c);
    int longest = 0;
    boolean found = false;
    for (String text : texts) {
      longest = Math.max(longest, text.length());
      int from = recent.length() - text.length();
      found |= from >= 0 && recent.indexOf(text, from) == from;
    }
    recent.delete(0, Math.max(0, recent.length() - longest));
    return found;
  }

  /** The text that was held back, at the end of the output. */
  public String flush() {
    String held = region == Region.UNDECIDED ? endUndecided() : "";
    return stops.isStopped() ? held : held + stops.flush();
  }

  /** Whether a stop string has ended the output. */
  public boolean isStopped() {
    return stops.isStopped();
  }

  /** The stop string that ended the output; null if none has. */
  public @Nullable String match() {
    return stops.match();
  }
}
