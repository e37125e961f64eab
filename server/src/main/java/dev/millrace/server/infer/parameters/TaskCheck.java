package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Tells of tasks, before they are submitted, whether their parameters can be honoured, as far as
 * that can be told without a model. Tasks that share a schema or a grammar share the work. Not
 * thread-safe.
 */
public final class TaskCheck {
  private final Set<OutputConstraint> good = new HashSet<>();
  private final Set<String> models;

  /** For tasks whose server is not known yet. */
  public TaskCheck() {
    this(Set.of());
  }

  /**
   * @param models names of those that the server has; empty: any may be named
   */
  public TaskCheck(Set<String> models) {
    this.models = Set.copyOf(models);
  }

  /**
   * @param type of the task; one that no model works on is not looked at
   * @param data of its stage
   * @return what is wrong, with its field and rule; null if nothing is
   */
  public @Nullable String problem(String type, JsonObject data, @Nullable Object input) {
    try {
      switch (type) {
        case "generate" -> check(GenerateParameters.of(data, input));
        case "embed" -> check(EmbedParameters.of(data, input).model());
        default -> {}
      }
      return null;
    } catch (TaskRefused e) {
      return e.getMessage();
    }
  }

  private void check(GenerateParameters parameters) {
    check(parameters.model());
    check(parameters.constraint());
  }

  private void check(@Nullable String model) {
    if (model != null && !models.isEmpty() && !models.contains(model)) {
      throw TaskRefused.notServed(model, new TreeSet<>(models));
    }
  }

  private void check(@Nullable OutputConstraint rule) {
    if (rule != null && !good.contains(rule)) {
      rule.grammar();
      good.add(rule);
    }
  }
}
