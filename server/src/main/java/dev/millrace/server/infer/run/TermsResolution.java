package dev.millrace.server.infer.run;

import dev.millrace.core.task.OutputChunk;
import dev.millrace.server.TaskContext;
import java.util.function.Supplier;

/** What an attempt runs under, or why it cannot run. */
sealed interface TermsResolution {
  /**
   * The terms of an earlier attempt still hold, and its tokens are resumed.
   *
   * @param otherwise resolves new terms, for when the engine refuses the tokens
   */
  record Resumed(ResolvedTask task, Supplier<TermsResolution> otherwise)
      implements TermsResolution {}

  /** The terms are frozen with the job; the tokens of earlier attempts are dropped. */
  record Fresh(ResolvedTask task) implements TermsResolution {}

  /** The model cannot run this task, in this attempt or any other. */
  record Refused(String reason) implements TermsResolution {}

  /** Another worker has the task now. */
  record ClaimLost() implements TermsResolution {}

  /** Freezes the terms of {@code resolved} and drops all tokens so far. */
  static TermsResolution freeze(TaskContext task, ResolvedTask resolved) {
    return task.freeze(resolved.terms().toJson())
        ? new Fresh(resolved.withPrior(OutputChunk.EMPTY))
        : new ClaimLost();
  }
}
