package dev.millrace.engine.api;

import org.jspecify.annotations.Nullable;

/**
 * Receives the events of one generation, on the scheduler's thread: all sequences wait while a
 * method runs. A method that throws fails its own sequence and no other.
 */
public interface GenerationListener {
  /**
   * A token was chosen.
   *
   * @param text the text that may be shown now: whole characters, no part of a stop string; often
   *     empty, and sometimes more than the text of this token
   * @param logprobs null unless requested; reused for the next token
   */
  void token(int id, String text, @Nullable Logprobs logprobs);

  /**
   * The generation was admitted: it is computed from now on. Called once; an exception is ignored.
   */
  default void began() {}

  /** A chunk of the prompt was computed: {@code done} of {@code total} tokens are computed. */
  default void progress(int done, int total) {}

  /** The generation has ended. No event follows. */
  default void ended(GenerationResult result) {}
}
