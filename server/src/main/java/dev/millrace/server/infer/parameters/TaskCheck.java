package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.ToolCallFormat;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks the parameters of tasks before they are submitted, as far as that is possible without a
 * model. A schema or grammar that several tasks share is compiled once. Not thread-safe.
 */
public final class TaskCheck {
  private final Set<OutputConstraint> compiled = new HashSet<>();
  private final Set<ToolUse> toolsSeen = new HashSet<>();
  private final Set<String> models;

  /** A check for tasks whose server is not known yet. */
  public TaskCheck() {
    this(Set.of());
  }

  /**
   * @param models names of the models that the server has; empty: any name is accepted
   */
  public TaskCheck(Set<String> models) {
    this.models = Set.copyOf(models);
  }

  /**
   * @param type of the task; only {@code generate} and {@code embed} are checked
   * @param data of its stage
   * @return what is wrong, with its field and rule; null if nothing
   */
  public @Nullable String problem(String type, JsonObject data, @Nullable Object input) {
    try {
      switch (type) {
        case "generate" -> check(GenerateParameters.of(data, input));
        case "embed" -> {
          EmbedParameters parameters = EmbedParameters.of(data, input);
          requireText(parameters.text());
          check(parameters.model());
        }
        default -> {}
      }
      return null;
    } catch (TaskRefused e) {
      return e.getMessage();
    }
  }

  private void check(GenerateParameters parameters) {
    requireText(parameters.prompt().lastText());
    check(parameters.model());
    check(parameters.output().constraint());
    checkTools(parameters.tools());
  }

  /** A model may write calls in any format: what cannot be enforced in one, cannot in the others. */
  private void checkTools(ToolParameters tools) {
    ToolUse use = tools.use(ToolCallFormat.GENERIC);
    if (use != null && toolsSeen.add(use)) {
      new OutputGrammar(null, use, Set.of()).grammar();
    }
  }

  /** A worker runs a blank prompt, as nrvna does; to submit one is a mistake. */
  private static void requireText(@Nullable String text) {
    if (text != null && text.isBlank()) {
      throw new TaskRefused("Empty prompt");
    }
  }

  private void check(@Nullable String model) {
    if (model != null && !models.isEmpty() && !model.equals(ModelNameMatcher.DEFAULT)) {
      TaskRefused.requireServed(model, new TreeSet<>(models));
    }
  }

  private void check(@Nullable OutputConstraint constraint) {
    if (constraint != null && !compiled.contains(constraint)) {
      constraint.grammar();
      compiled.add(constraint);
    }
  }
}
