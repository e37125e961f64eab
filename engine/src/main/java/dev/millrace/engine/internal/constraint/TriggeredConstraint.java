package dev.millrace.engine.internal.constraint;

import dev.millrace.engine.api.ConstraintStart;
import dev.millrace.engine.api.ThoughtTags;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.internal.match.AhoCorasick;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A constraint that holds from a trigger on: thoughts and answer are free until the answer contains
 * a trigger, and the constraint takes the text from the trigger's first byte.
 */
final class TriggeredConstraint implements ConstraintTracker {
  private enum Phase {
    /** The output is white space, and then a part of the opening tag. */
    OPENING,
    THINKING,
    FREE,
    CONSTRAINED
  }

  private final Constraint.State constrained;
  private final TokenTexts texts;
  private final TextMatcher open;
  private final TextMatcher close;
  private final List<byte[]> triggers;
  private final AhoCorasick search; // for the triggers, a character for each byte
  private int found; // state of the search
  private Phase phase;
  private int matched; // bytes of the tag

  TriggeredConstraint(Constraint constraint, ConstraintStart start, TokenTexts texts) {
    constrained = constraint.start();
    this.texts = texts;
    ThoughtTags tags = start.thoughts();
    open = new TextMatcher(tags == null ? " " : tags.open()); // not used without tags
    close = new TextMatcher(tags == null ? " " : tags.close());
    triggers =
        start.triggers().stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
    search =
        new AhoCorasick(
            triggers.stream().map(text -> new String(text, StandardCharsets.ISO_8859_1)).toList());
    if (tags == null) {
      phase = Phase.FREE;
    } else {
      phase = tags.opened() ? Phase.THINKING : Phase.OPENING;
    }
  }

  @Override
  public long @Nullable [] allowed() {
    return phase == Phase.CONSTRAINED ? constrained.allowed() : null;
  }

  @Override
  public boolean accept(int token) {
    if (phase == Phase.CONSTRAINED) {
      return constrained.accept(token);
    }
    byte[] bytes = texts.of(token);
    for (int i = 0; i < bytes.length && phase != Phase.CONSTRAINED; i++) {
      switch (phase) {
        case OPENING -> open(bytes, i);
        case THINKING -> think(bytes[i]);
        case FREE -> search(bytes, i);
        case CONSTRAINED -> throw new IllegalStateException("the loop has ended");
      }
    }
    return true;
  }

  private void open(byte[] bytes, int at) {
    byte b = bytes[at];
    if (matched == 0 && TokenTexts.isWhiteSpace(b)) {
      return;
    }
    if (open.text()[matched] == b) {
      matched++;
      if (open.isComplete(matched)) {
        phase = Phase.THINKING;
        matched = 0;
      }
      return;
    }
    phase = Phase.FREE;
    byte[] held = Arrays.copyOf(open.text(), matched); // it was no tag, but may be a trigger
    byte[] both = Arrays.copyOf(held, held.length + bytes.length - at);
    System.arraycopy(bytes, at, both, held.length, bytes.length - at);
    for (int i = 0; i <= held.length && phase == Phase.FREE; i++) {
      search(both, i);
    }
  }

  private void think(byte b) {
    matched = close.next(matched, b);
    if (close.isComplete(matched)) {
      phase = Phase.FREE;
    }
  }

  /** Reads one byte; if a trigger ends with it, offers that and the rest to the constraint. */
  private void search(byte[] bytes, int at) {
    found = search.next(found, (char) (bytes[at] & 0xff));
    int next = search.longest(found);
    while (next >= 0 && phase == Phase.FREE) {
      byte[] trigger = triggers.get(next);
      byte[] text = Arrays.copyOf(trigger, trigger.length + bytes.length - at - 1);
      System.arraycopy(bytes, at + 1, text, trigger.length, bytes.length - at - 1);
      phase = constrained.accept(text) ? Phase.CONSTRAINED : phase;
      next = search.nextShorter(next);
    }
  }

  @Override
  public boolean holds() {
    return phase == Phase.CONSTRAINED;
  }

  @Override
  public boolean mustEnd() {
    return phase == Phase.CONSTRAINED && constrained.mustEnd();
  }
}
