package dev.millrace.server.infer;

import dev.millrace.core.json.JsonObject;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells of tasks, before they are submitted, whether their parameters can be honoured, as far as
 * that can be told without a model. Tasks that share a schema or a grammar share the work. Not
 * thread-safe.
 */
public final class TaskCheck {
  private final Set<Rule> good = new HashSet<>();

  /**
   * @param type of the task; one that no model works on is not looked at
   * @param data of its stage
   * @return what is wrong, with its field and rule; null if nothing is
   */
  public @Nullable String problem(String type, JsonObject data, @Nullable Object input) {
    try {
      switch (type) {
        case "generate" -> check(Parameters.of(data, input).rule());
        case "embed" -> EmbedParameters.of(data, input);
        default -> {}
      }
      return null;
    } catch (Refusal e) {
      return e.getMessage();
    }
  }

  private void check(@Nullable Rule rule) {
    if (rule != null && !good.contains(rule)) {
      rule.grammar();
      good.add(rule);
    }
  }
}
