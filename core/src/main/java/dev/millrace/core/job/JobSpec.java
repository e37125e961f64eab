package dev.millrace.core.job;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.TraceContext;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is asked for: validated when it is made, immutable after.
 *
 * @param held submitted on hold: it starts out PAUSED
 * @param parent the job that this one belongs to, for a reader's selection
 * @param retryOf the finished job that this one runs again
 * @param open whether stages and tasks may be added later; a job submitted whole is sealed
 * @param data what the submitter says of the job as a whole; no worker of ours reads it
 */
public record JobSpec(
    @Nullable String name,
    Priority priority,
    boolean held,
    @Nullable JobId parent,
    @Nullable JobId retryOf,
    List<String> tags,
    JsonObject metadata,
    List<StageSpec> stages,
    boolean open,
    JsonObject data,
    @Nullable TraceContext trace,
    List<Webhook> webhooks) {

  /** Most stages in a job. */
  public static final int MAX_STAGES = 1_000;

  /** Most bytes in a prompt, and in any other text input of a task. */
  public static final int MAX_PROMPT_BYTES = 10_000_000;

  public static final int MAX_TAGS = 100;

  public static final int MAX_WEBHOOKS = 10;

  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  public JobSpec {
    tags = List.copyOf(tags);
    stages = List.copyOf(stages);
    webhooks = List.copyOf(webhooks);
    if (stages.isEmpty() && !open || stages.size() > MAX_STAGES) {
      throw new IllegalArgumentException(
          "a job has 1 to " + MAX_STAGES + " stages, got " + stages.size());
    }
    if (!stages.isEmpty() && stages.getFirst().isTemplate()) {
      throw new IllegalArgumentException("the first stage has no earlier results for a template");
    }
    if (name != null && (name.isBlank() || name.length() > 200)) {
      throw new IllegalArgumentException("a job's name has 1 to 200 characters");
    }
    if (tags.size() > MAX_TAGS) {
      throw new IllegalArgumentException("at most " + MAX_TAGS + " tags, got " + tags.size());
    }
    tags.forEach(JobSpec::requireTag);
    if (webhooks.size() > MAX_WEBHOOKS) {
      throw new IllegalArgumentException(
          "at most " + MAX_WEBHOOKS + " webhooks, got " + webhooks.size());
    }
    Json.requireDepth(data, "a job's data");
    Json.requireDepth(metadata, "a job's metadata");
    for (int i = 0; i < stages.size(); i++) {
      stages.get(i).requireTemplates(i + 1);
    }
  }

  public JobSpec(
      @Nullable String name,
      Priority priority,
      boolean held,
      @Nullable JobId parent,
      @Nullable JobId retryOf,
      List<String> tags,
      JsonObject metadata,
      List<StageSpec> stages) {
    this(
        name,
        priority,
        held,
        parent,
        retryOf,
        tags,
        metadata,
        stages,
        false,
        JsonObject.create(),
        null,
        List.of());
  }

  /** The same with other stages. */
  public JobSpec withStages(List<StageSpec> others) {
    return new JobSpec(
        name, priority, held, parent, retryOf, tags, metadata, others, open, data, trace, webhooks);
  }

  /** A single prompt for the type {@code generate} or {@code embed}. */
  public static JobSpec prompt(String type, String text) {
    return of(List.of(StageSpec.of(type, List.of(TaskSpec.of(text)))));
  }

  public static JobSpec of(List<StageSpec> stages) {
    return new JobSpec(
        null, Priority.MEDIUM, false, null, null, List.of(), JsonObject.create(), stages);
  }

  public static String requireTag(String tag) {
    if (!TAG.matcher(tag).matches()) {
      throw new IllegalArgumentException(
          "tag \"" + tag + "\" must be 1 to 64 letters, digits, '_' or '-'");
    }
    return tag;
  }
}
