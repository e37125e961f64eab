package dev.millrace.engine.internal.constraint;

import dev.millrace.engine.api.ThoughtTags;
import dev.millrace.engine.grammar.Constraint;
import org.jspecify.annotations.Nullable;

/**
 * A constraint that holds for the whole answer. Without thoughts that is the output. Otherwise the
 * thoughts come first, opened by the prompt or by the first tokens, then white space, then the
 * answer.
 */
final class AnswerConstraint implements ConstraintTracker {
  /** The most tokens of white space between thoughts and answer. */
  private static final int MOST_WHITE_SPACE = 4;

  private enum Phase {
    /** The output is empty or a part of the opening tag. */
    OPENING,
    THINKING,
    /** White space may precede the answer. */
    BEFORE_ANSWER,
    ANSWERING
  }

  private final Constraint.State answer;
  private final @Nullable ThoughtMasks thoughts;
  private final TokenTexts texts;
  private Phase phase;
  private int opened; // bytes of the opening tag so far
  private boolean isAnswer = true; // whether the output so far may also begin an answer
  private int matched; // bytes of the closing tag
  private int skipped; // tokens of white space before the answer
  private long @Nullable [] allowed;

  /** @param thoughts null exactly if the tags are */
  AnswerConstraint(
      Constraint constraint,
      @Nullable ThoughtTags tags,
      @Nullable ThoughtMasks thoughts,
      TokenTexts texts) {
    answer = constraint.start();
    this.thoughts = thoughts;
    this.texts = texts;
    if (tags == null) {
      phase = Phase.ANSWERING;
    } else {
      phase = tags.opened() ? Phase.THINKING : Phase.OPENING;
    }
  }

  @Override
  public long[] allowed() {
    if (thoughts == null || phase == Phase.ANSWERING) {
      return answer.allowed();
    }
    if (allowed == null) {
      allowed = make(thoughts);
    }
    return allowed;
  }

  private long[] make(ThoughtMasks masks) {
    return switch (phase) {
      case OPENING -> masks.withOpening(isAnswer ? answer.allowed() : masks.nothing(), opened);
      case THINKING -> masks.thinking(matched);
      case BEFORE_ANSWER ->
          skipped < MOST_WHITE_SPACE ? masks.withWhiteSpace(answer.allowed()) : answer.allowed();
      case ANSWERING -> answer.allowed();
    };
  }

  @Override
  public boolean accept(int token) {
    allowed = null;
    if (thoughts == null || phase == Phase.ANSWERING) {
      return answer.accept(token);
    }
    return switch (phase) {
      case OPENING -> open(thoughts, token);
      case THINKING -> think(thoughts, token);
      case BEFORE_ANSWER -> begin(thoughts, token);
      case ANSWERING -> throw new IllegalStateException("handled above");
    };
  }

  private boolean open(ThoughtMasks masks, int token) {
    int now = masks.open(opened, token);
    boolean answers = isAnswer && answer.accept(token);
    if (now < 0) {
      phase = answers ? Phase.ANSWERING : phase;
      return answers;
    }
    isAnswer = answers;
    opened = now;
    if (masks.isOpen(now)) {
      answer.reset();
      phase = Phase.THINKING;
    }
    return true;
  }

  private boolean think(ThoughtMasks masks, int token) {
    if (!masks.mayThink(matched, token)) {
      return false;
    }
    byte[] bytes = texts.of(token);
    if (masks.close.findEnd(matched, bytes) >= 0) {
      phase = Phase.BEFORE_ANSWER;
    } else {
      matched = masks.close.next(matched, bytes);
    }
    return true;
  }

  private boolean begin(ThoughtMasks masks, int token) {
    if (answer.accept(token)) {
      phase = Phase.ANSWERING;
      return true;
    }
    boolean skips = skipped < MOST_WHITE_SPACE && masks.isWhiteSpace(token);
    skipped += skips ? 1 : 0;
    return skips;
  }

  @Override
  public boolean holds() {
    return phase == Phase.ANSWERING;
  }

  @Override
  public boolean mustEnd() {
    return phase == Phase.ANSWERING && answer.mustEnd();
  }
}
