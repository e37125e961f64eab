package dev.millrace.engine.api;

import org.jspecify.annotations.Nullable;

/**
 * Hears of one generation, on the wheel's thread: whatever it does, all other sequences wait for
 * it. One that throws fails its own sequence and no other.
 */
public interface GenerationListener {
  /**
   * A token was chosen.
   *
   * @param text what may be shown now: whole characters, no part of a stop string; often "" and
   *     sometimes more than this token's
   * @param logprobs where asked for; filled anew for the next token
   */
  void token(int id, String text, @Nullable Logprobs logprobs);

  /** Its turn has come: it is computed from now on. Heard once; what it throws is ignored. */
  default void began() {}

  /** A chunk of the prompt was computed: {@code done} of {@code total} tokens are. */
  default void progress(int done, int total) {}

  /** It is over. Nothing is heard after this. */
  default void ended(GenerationResult result) {}
}
