package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Rules that older versions did not have. A task keeps those that its first attempt froze.
 *
 * @param constraintAfterThoughts whether a constraint covers the answer; else the whole output
 * @param stopsAfterThoughts whether stop texts count in the answer; else in the whole output
 * @param namesInText whether names of messages are written if the chat template does not
 */
public record TaskRules(
    boolean constraintAfterThoughts, boolean stopsAfterThoughts, boolean namesInText) {
  /** Those of a new task. */
  static final TaskRules CURRENT = new TaskRules(true, true, true);

  private static final String AFTER_THOUGHTS = "after_thoughts";
  private static final String IN_TEXT = "in_text";

  static TaskRules parse(JsonObject json) {
    return new TaskRules(
        AFTER_THOUGHTS.equals(json.get("constraint_start")),
        AFTER_THOUGHTS.equals(json.get("stop_start")),
        IN_TEXT.equals(json.get("names")));
  }

  /** The same for a task whose messages have no names. */
  TaskRules withoutNames() {
    return new TaskRules(constraintAfterThoughts, stopsAfterThoughts, false);
  }

  /**
   * Adds those that matter to a task.
   *
   * @param constrained whether the task has a constraint or calls
   * @param stops whether it has stop texts
   */
  void addTo(JsonObject json, boolean constrained, boolean stops) {
    json.putIfPresent(
            "constraint_start", word(AFTER_THOUGHTS, constrained && constraintAfterThoughts))
        .putIfPresent("stop_start", word(AFTER_THOUGHTS, stops && stopsAfterThoughts))
        .putIfPresent("names", word(IN_TEXT, namesInText));
  }

  private static @Nullable String word(String word, boolean applies) {
    return applies ? word : null;
  }
}
