package dev.millrace.core.stage;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TraceContext;
import dev.millrace.core.template.StageTemplate;
import dev.millrace.core.template.StageTemplateException;
import java.text.Normalizer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One stage of a job as it is submitted. Its tasks are given ({@code tasks}), or made from the
 * previous stage's results when it opens ({@code each}: a template, one task for each result). Make
 * one with {@link #builder}, or with {@link #of} if it needs no options.
 *
 * @param type which workers may claim its tasks
 * @param data parameters for the workers, the same for all tasks
 * @param metadata what its submitter keeps with it
 */
public record StageSpec(
    String type,
    StagePolicy rules,
    List<TaskSpec> tasks,
    @Nullable String each,
    JsonObject data,
    JsonObject metadata,
    @Nullable TraceContext trace) {

  /** The most tasks in a stage. */
  public static final int MAX_TASKS = 200_000;

  /** The most characters of a type. */
  public static final int MAX_TYPE = 128;

  public StageSpec {
    tasks = List.copyOf(tasks);
    requireType(type);
    if (each != null && !tasks.isEmpty()) {
      throw new IllegalArgumentException(
          "stage \"" + type + "\": give \"each\" or \"tasks\", not both");
    }
    if (tasks.size() > MAX_TASKS) {
      throw new IllegalArgumentException(
          "stage \"" + type + "\": at most " + MAX_TASKS + " tasks, got " + tasks.size());
    }
    Json.requireDepth(data, "stage \"" + type + "\": its data");
    Json.requireDepth(metadata, "stage \"" + type + "\": its metadata");
  }

  /** A stage with these tasks and no options. */
  public static StageSpec of(String type, List<TaskSpec> tasks) {
    return builder(type).tasks(tasks).build();
  }

  /** Starts a stage without tasks, with the default rules. */
  public static Builder builder(String type) {
    return new Builder(type);
  }

  /** Starts a copy of this stage. */
  public Builder toBuilder() {
    Builder copy = new Builder(type);
    copy.rules = rules;
    copy.tasks = tasks;
    copy.each = each;
    copy.data = data;
    copy.metadata = metadata;
    copy.trace = trace;
    return copy;
  }

  /** The same with other tasks. */
  public StageSpec withTasks(List<TaskSpec> others) {
    return toBuilder().tasks(others).build();
  }

  /** Refuses a type that cannot be a segment of a URL's path, or that is not normalized. */
  public static String requireType(String type) {
    String broken = brokenRule(type);
    if (broken != null) {
      throw new IllegalArgumentException("stage type \"" + type + "\" " + broken);
    }
    return type;
  }

  private static @Nullable String brokenRule(String type) {
    int length = type.codePointCount(0, type.length());
    if (length < 1 || length > MAX_TYPE) {
      return "must have 1 to " + MAX_TYPE + " characters, it has " + length;
    }
    if (type.equals(".") || type.equals("..")) {
      return "cannot be part of a URL's path";
    }
    if (type.indexOf('/') >= 0 || type.chars().anyMatch(Character::isISOControl)) {
      return "must not contain '/' or control characters";
    }
    if (type.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
      return "is not valid Unicode";
    }
    return Normalizer.isNormalized(type, Normalizer.Form.NFC)
        ? null
        : "must be in the Unicode normalization form NFC";
  }

  public boolean gate() {
    return rules.gate();
  }

  public FailureTolerance tolerance() {
    return rules.tolerance();
  }

  public TaskPolicy policy() {
    return rules.policy();
  }

  /** Whether task texts depend on earlier results and exist only once the stage opens. */
  public boolean isTemplate() {
    return each != null || tasks.stream().anyMatch(TaskSpec::template);
  }

  /** Refuses a template that can never be rendered in stage {@code number}. */
  public void requireTemplates(int number) {
    try {
      if (each != null) {
        StageTemplate.check(each, number, true);
      }
      for (TaskSpec task : tasks) {
        if (task.template()) {
          StageTemplate.check(String.valueOf(task.input()), number, false);
        }
      }
    } catch (StageTemplateException e) {
      throw new IllegalArgumentException("stage " + number + ": " + e.getMessage());
    }
  }

  /** Collects the parts of a stage. {@link #build} checks them. */
  public static final class Builder {
    private final String type;
    private StagePolicy rules = StagePolicy.DEFAULT;
    private List<TaskSpec> tasks = List.of();
    private @Nullable String each;
    private JsonObject data = JsonObject.create();
    private JsonObject metadata = JsonObject.create();
    private @Nullable TraceContext trace;

    private Builder(String type) {
      this.type = type;
    }

    public Builder rules(StagePolicy all) {
      this.rules = all;
      return this;
    }

    public Builder gate(boolean gate) {
      return rules(new StagePolicy(gate, rules.tolerance(), rules.policy()));
    }

    public Builder tolerance(FailureTolerance tolerance) {
      return rules(new StagePolicy(rules.gate(), tolerance, rules.policy()));
    }

    public Builder policy(TaskPolicy policy) {
      return rules(new StagePolicy(rules.gate(), rules.tolerance(), policy));
    }

    public Builder tasks(List<TaskSpec> all) {
      this.tasks = all;
      return this;
    }

    public Builder each(@Nullable String template) {
      this.each = template;
      return this;
    }

    public Builder data(JsonObject parameters) {
      this.data = parameters;
      return this;
    }

    public Builder metadata(JsonObject kept) {
      this.metadata = kept;
      return this;
    }

    public Builder trace(@Nullable TraceContext context) {
      this.trace = context;
      return this;
    }

    /**
     * Makes the stage.
     *
     * @throws IllegalArgumentException naming the rule that a part breaks
     */
    public StageSpec build() {
      return new StageSpec(type, rules, tasks, each, data, metadata, trace);
    }
  }
}
