package dev.millrace.engine.internal.grammar.automaton;

/**
 * Where calls return to: a set of return states, each with what is below it in turn. Frames are
 * made by {@link AutomatonRunner} alone, which gives equal ones the same object, so that stacks share what
 * they have in common and a set of stacks takes no more room than its different frames.
 *
 * @param id numbers the sets in the order of their making
 * @param frames ascending by id
 */
public record StackFrames(int id, Frame[] frames) {
  /** A return state, or {@link #BOTTOM}, above other frames. */
  public record Frame(int id, int state, StackFrames below) {}

  private static final StackFrames NOTHING = new StackFrames(-1, new Frame[0]);

  /** Below every stack: to return here is to have read a whole text. */
  static final Frame BOTTOM = new Frame(-1, -1, NOTHING);

  /** The stack that has nothing but the bottom. */
  static final StackFrames GROUND = new StackFrames(-2, new Frame[] {BOTTOM});

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return id;
  }

  @Override
  public String toString() {
    return "Frames " + id;
  }
}
