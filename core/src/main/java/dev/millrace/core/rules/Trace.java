package dev.millrace.core.rules;

import dev.millrace.core.task.Token;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How far a claim had come whose worker vanished: whether that may have been its task's doing. */
public enum Trace {
  /** It had its terms, and its turn had not come. */
  WAITED,
  /** It was at work, or nothing is known of it. */
  BEGUN,
  /** Its journal has tokens of it. */
  GREW;

  /**
   * What a journal tells of the task's last claim.
   *
   * @param last the claim that the journal named last
   * @param grew whether tokens follow that name
   */
  public static Trace of(TaskFold task, @Nullable Token last, boolean grew) {
    if (!Objects.equals(last, task.token())) {
      return task.frozen() == null ? BEGUN : WAITED;
    }
    return grew ? GREW : BEGUN;
  }
}
