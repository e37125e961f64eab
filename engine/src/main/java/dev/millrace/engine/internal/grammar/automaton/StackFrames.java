package dev.millrace.engine.internal.grammar.automaton;

/**
 * A set of return states of calls, each with the frames below it. Made only by {@link
 * AutomatonRunner}, which gives equal ones the same object. So stacks share their common frames,
 * and a set of stacks takes no more room than its different frames.
 *
 * @param id numbers the sets in the order of their creation
 * @param frames ascending by id
 */
public record StackFrames(int id, Frame[] frames) {
  /** A return state, or {@link #BOTTOM}, above other frames. */
  public record Frame(int id, int state, StackFrames below) {}

  private static final StackFrames NOTHING = new StackFrames(-1, new Frame[0]);

  /** The bottom of every stack: returning here means that a whole text was read. */
  static final Frame BOTTOM = new Frame(-1, -1, NOTHING);

  /** The stack that has only the bottom. */
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
