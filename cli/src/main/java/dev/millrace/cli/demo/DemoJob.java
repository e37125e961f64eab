package dev.millrace.cli.demo;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * The job of the demo: stories in parallel, then, behind a gate, the characters of each. Seeds and
 * sampling are fixed, so that every demo gives the same text.
 */
final class DemoJob {
  /** The subject of each story. Its index is the seed. */
  static final List<String> WORDS =
      List.of(
          "Mia and a boat",
          "Ben and a dog",
          "Anna and a kite",
          "Tom and a bear",
          "Lucy and a hat",
          "Sam and a bird",
          "Rosa and a ball",
          "Max and a tree");

  static final String TELL = "Write a story about ";
  static final String NAME = "Name the characters of this story as JSON.";

  static final int STORIES = 1;
  static final int CHARACTERS = 2;

  private static final int STORY_TOKENS = 320;

  /** Enough for the longest text that the schema allows, one token per letter. */
  static final int NAMES_TOKENS = 120;

  private DemoJob() {}

  /**
   * The job for a model with a context of {@code context} tokens: in the second stage it must hold
   * the story, the instruction and the answer.
   */
  static JobSpec of(int context) {
    return JobSpec.builder()
        .name("demo: eight stories")
        .tags(List.of("demo"))
        .stages(List.of(stories(limit(context)), characters()))
        .build();
  }

  /** The maximum number of tokens of a story. */
  static int limit(int context) {
    return Math.clamp(context / 3, 16, STORY_TOKENS);
  }

  private static StageSpec stories(int limit) {
    List<TaskSpec> tasks = new ArrayList<>();
    for (String words : WORDS) {
      tasks.add(
          TaskSpec.of(
              JsonObject.create()
                  .put("prompt", TELL + words + ".")
                  .put("seed", tasks.size() + 1)
                  .values()));
    }
    JsonObject data =
        JsonObject.create()
            .put("max_tokens", limit)
            .put("temperature", 0.7)
            .put("top_k", 40)
            .put("top_p", 0.9)
            .put("min_p", 0.05)
            .put("repeat_penalty", 1);
    return StageSpec.builder("generate").tasks(tasks).data(data).build();
  }

  private static StageSpec characters() {
    JsonObject data =
        JsonObject.create()
            .put("max_tokens", NAMES_TOKENS)
            .put("temperature", 0)
            .put("repeat_penalty", 1) // names must be repeated
            .put("seed", 1)
            .put("json_schema", schema());
    return StageSpec.builder("generate")
        .gate(true)
        .each(NAME + "\n\n{{result}}")
        .data(data)
        .build();
  }

  /** With bounds, so that even an untrained model ends. */
  private static JsonObject schema() {
    JsonObject name =
        JsonObject.create().put("type", "string").put("pattern", "^[A-Z][a-z]{1,11}$");
    JsonObject names =
        JsonObject.create().put("type", "array").put("items", name).put("maxItems", 6);
    return JsonObject.create()
        .put("type", "object")
        .put("properties", JsonObject.create().put("characters", names))
        .put("required", List.of("characters"))
        .put("additionalProperties", false);
  }
}
