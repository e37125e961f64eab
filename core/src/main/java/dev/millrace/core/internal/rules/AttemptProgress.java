package dev.millrace.core.internal.rules;

import dev.millrace.core.task.FencingToken;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How far a claim had come whose worker vanished: whether that may have been its task's doing. */
public enum AttemptProgress {
  /** It had its terms, and its turn had not come. */
  NOT_STARTED,
  /** It was at work, or nothing is known of it. */
  STARTED,
  /** Its journal has tokens of it. */
  PRODUCED_TOKENS;

  /**
   * What a journal tells of the task's last claim.
   *
   * @param last the claim that the journal named last
   * @param grew whether tokens follow that name
   */
  public static AttemptProgress of(TaskFold task, @Nullable FencingToken last, boolean grew) {
    if (!Objects.equals(last, task.token())) {
      return task.frozenTerms() == null ? STARTED : NOT_STARTED;
    }
    return grew ? PRODUCED_TOKENS : STARTED;
  }
}
