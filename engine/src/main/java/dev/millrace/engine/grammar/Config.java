package dev.millrace.engine.grammar;

import org.jspecify.annotations.Nullable;

/**
 * All that an automaton may be doing after some bytes: the states reached, each with its stacks.
 * Made by {@link Stacks} alone; equal ones of one generation are the same object.
 */
final class Config {
  /** No way on, and no end. */
  static final Config DEAD = new Config(0, new int[0], new Frames[0], false, 0);

  /** The end and nothing else. */
  static final Config END = new Config(0, new int[0], new Frames[0], true, 0);

  final int generation;
  final int[] states; // ascending
  final Frames[] stacks; // (index of the state)
  final boolean bottom; // whether a stack was emptied: the text may end here

  /** (byte class) -> what follows, null where it is not known yet. */
  final @Nullable Config[] next;

  // the states that read a byte, those of called rules among them; found when first needed
  int @Nullable [] readers;
  Frames @Nullable [] readerStacks;

  Config(int generation, int[] states, Frames[] stacks, boolean bottom, int classes) {
    this.generation = generation;
    this.states = states;
    this.stacks = stacks;
    this.bottom = bottom;
    next = new Config[classes];
  }

  /** Whether anything but the end can follow. */
  boolean goesOn() {
    return states.length > 0;
  }
}
