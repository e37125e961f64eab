package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.budget.CompileLimits;
import dev.millrace.engine.toolcall.ToolCallFormat;
import dev.millrace.server.internal.compile.CompilePool;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Checks the parameters of tasks before they are submitted, as far as that is possible without a
 * model. A schema or grammar that several tasks share is compiled once, and not on this thread. Not
 * thread-safe.
 */
public final class TaskCheck {
  /** What all schemas, grammars and tools of one request may cost together. */
  static final long MAX_STEPS = 5 * CompileLimits.DEFAULT.steps();

  private final Set<OutputConstraint> compiled = new HashSet<>();
  private final Set<ToolUse> toolsSeen = new HashSet<>();
  private final Set<String> models;
  private final long maxSteps;
  private long steps;

  /** A check for tasks whose server is not known yet. */
  public TaskCheck() {
    this(Set.of(), Long.MAX_VALUE);
  }

  /**
   * A check for the tasks of one request.
   *
   * @param models names of the models that the server has; empty: any name is accepted
   */
  public TaskCheck(Set<String> models) {
    this(models, MAX_STEPS);
  }

  TaskCheck(Set<String> models, long maxSteps) {
    this.models = Set.copyOf(models);
    this.maxSteps = maxSteps;
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
      check(new OutputGrammar(null, use, Set.of()));
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
      check(new OutputGrammar(constraint, null, Set.of()));
      compiled.add(constraint);
    }
  }

  private void check(OutputGrammar grammar) {
    CompileBudget budget = new CompileBudget();
    try {
      CompilePool.compile(budget, () -> compile(grammar));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted while a schema is checked");
    }
    steps += budget.steps();
    if (steps > maxSteps) {
      throw new TaskRefused(
          "the schemas, grammars and tools of all tasks take more than %d steps to compile"
              .formatted(maxSteps));
    }
  }

  private static Grammar compile(OutputGrammar grammar) {
    try {
      Grammar compiled = grammar.grammar();
      compiled.requireWithinLimits();
      return compiled;
    } catch (GrammarException e) {
      throw grammar.refusal(e);
    }
  }
}
