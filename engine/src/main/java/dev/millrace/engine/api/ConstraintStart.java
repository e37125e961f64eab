package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When the constraint of a request begins to hold.
 *
 * <p>Thoughts are free, and the constraint never covers them. They begin with the prompt, or with
 * the opening tag as the first token of the output. The answer begins after the closing tag and
 * white space.
 *
 * <p>Without triggers the constraint holds from the answer's start. Then the output may not end
 * inside the thoughts, and no token may close them and carry more than white space behind the tag.
 * With triggers the answer is free until it contains one of them. The text from the trigger's first
 * character on is given to the constraint: if that refuses it, the answer stays free; otherwise the
 * constraint holds to the end.
 *
 * @param thoughts null: the output has no thoughts before the answer. A tag that is a control token
 *     must be among the shown tokens of the request
 * @param triggers texts that start the constraint, which covers the trigger itself; empty: it
 *     starts with the answer
 */
public record ConstraintStart(@Nullable ThoughtTags thoughts, List<String> triggers) {
  /** The constraint holds from the first token. */
  public static final ConstraintStart AT_ONCE = new ConstraintStart(null, List.of());

  public ConstraintStart {
    triggers = List.copyOf(triggers);
    if (triggers.contains("")) {
      throw new EngineException("request: a trigger of a constraint is empty");
    }
  }
}
