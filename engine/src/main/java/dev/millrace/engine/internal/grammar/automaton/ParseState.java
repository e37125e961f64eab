package dev.millrace.engine.internal.grammar.automaton;

import org.jspecify.annotations.Nullable;

/**
 * The possible states of an automaton after some bytes, each with its stacks. Made only by {@link
 * AutomatonRunner}; equal ones of one generation are the same object.
 */
public final class ParseState {
  /** No continuation and no end. */
  public static final ParseState DEAD = new ParseState(0, new int[0], new StackFrames[0], false, 0);

  /** The end, and no continuation. */
  public static final ParseState END = new ParseState(0, new int[0], new StackFrames[0], true, 0);

  public final int generation;
  final int[] states; // ascending
  public final StackFrames[] stacks; // (index of the state)
  public final boolean mayEnd; // whether a stack was emptied: the text may end here

  /** (byte class) -> the next state, null if not known yet. */
  final @Nullable ParseState[] next;

  /** (byte class) -> what the next state costs, and the last account that was charged for it. */
  final int[] costs;

  // the states that read a byte, those of called rules included; computed on first use
  int @Nullable [] readers;
  StackFrames @Nullable [] readerStacks;
  int readerCost;

  ParseState(int generation, int[] states, StackFrames[] stacks, boolean bottom, int classes) {
    this.generation = generation;
    this.states = states;
    this.stacks = stacks;
    this.mayEnd = bottom;
    next = new ParseState[classes];
    costs = new int[2 * classes];
  }

  /** Whether anything but the end can follow. */
  public boolean canContinue() {
    return states.length > 0;
  }
}
