package dev.millrace.core.internal.rules;

import dev.millrace.core.task.FencingToken;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How far an attempt had come when its worker was lost. The loss counts against the task only if
 * the attempt had started and produced nothing.
 */
public enum AttemptProgress {
  /** It had frozen its terms and was still waiting. */
  NOT_STARTED,
  /** It was running, or nothing is known. */
  STARTED,
  /** It had journaled tokens. */
  PRODUCED_TOKENS;

  /**
   * The progress of the task's last claim, as its journal shows it.
   *
   * @param last the claim that the journal names last
   * @param grew whether tokens follow that name
   */
  public static AttemptProgress of(TaskFold task, @Nullable FencingToken last, boolean grew) {
    if (!Objects.equals(last, task.token())) {
      return task.hasFrozenTerms() ? NOT_STARTED : STARTED;
    }
    return grew ? PRODUCED_TOKENS : STARTED;
  }
}
