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
 * A job as it is submitted: immutable, and validated when it is made. Make one with {@link
 * #builder}, or with {@link #prompt} or {@link #of} if it needs no options.
 *
 * @param held whether it starts PAUSED
 * @param open whether stages and tasks may be added later; if not, the job is sealed
 */
public record JobSpec(
    JobLabels labels,
    JobRelations relations,
    Priority priority,
    boolean held,
    boolean open,
    @Nullable TraceContext trace,
    List<Webhook> webhooks,
    List<StageSpec> stages) {

  /** The most stages in a job. */
  public static final int MAX_STAGES = 1_000;

  /**
   * The most tasks in all stages of a job. A stage that makes a task of each earlier result counts
   * as many as the stage before it. Jobs from before this limit are read and run as they are.
   */
  public static final int MAX_TASKS = 1_000_000;

  /** The most bytes in a prompt, and in any other input of a task as JSON. */
  public static final int MAX_PROMPT_BYTES = 10_000_000;

  public static final int MAX_TAGS = 100;

  public static final int MAX_WEBHOOKS = 10;

  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  public JobSpec {
    stages = List.copyOf(stages);
    webhooks = List.copyOf(webhooks);
    if (stages.isEmpty() && !open || stages.size() > MAX_STAGES) {
      throw new IllegalArgumentException(
          "a job has 1 to " + MAX_STAGES + " stages, got " + stages.size());
    }
    if (!stages.isEmpty() && stages.getFirst().isTemplate()) {
      throw new IllegalArgumentException("the first stage has no earlier results for a template");
    }
    requireLabels(labels);
    if (webhooks.size() > MAX_WEBHOOKS) {
      throw new IllegalArgumentException(
          "at most " + MAX_WEBHOOKS + " webhooks, got " + webhooks.size());
    }
    Json.requireDepth(labels.data(), "a job's data");
    Json.requireDepth(labels.metadata(), "a job's metadata");
    for (int i = 0; i < stages.size(); i++) {
      stages.get(i).requireTemplates(i + 1);
    }
  }

  private static void requireLabels(JobLabels labels) {
    String name = labels.name();
    if (name != null) {
      requireName(name);
    }
    if (labels.tags().size() > MAX_TAGS) {
      throw new IllegalArgumentException(
          "at most " + MAX_TAGS + " tags, got " + labels.tags().size());
    }
    labels.tags().forEach(JobSpec::requireTag);
  }

  public static String requireName(String name) {
    if (name.isBlank() || name.length() > 200) {
      throw new IllegalArgumentException("a job's name has 1 to 200 characters");
    }
    return name;
  }

  public static String requireTag(String tag) {
    if (!TAG.matcher(tag).matches()) {
      throw new IllegalArgumentException(
          "tag \"" + tag + "\" must be 1 to 64 letters, digits, '_' or '-'");
    }
    return tag;
  }

  /** A job with a single prompt for the type {@code generate} or {@code embed}. */
  public static JobSpec prompt(String type, String text) {
    return of(List.of(StageSpec.of(type, List.of(TaskSpec.of(text)))));
  }

  /** A job with these stages and no options. */
  public static JobSpec of(List<StageSpec> stages) {
    return builder().stages(stages).build();
  }

  /** Starts a job of MEDIUM priority, sealed and not held, without stages. */
  public static Builder builder() {
    return new Builder();
  }

  /** Starts a copy of this job. */
  public Builder toBuilder() {
    Builder copy = new Builder();
    copy.labels = labels;
    copy.relations = relations;
    copy.priority = priority;
    copy.held = held;
    copy.open = open;
    copy.trace = trace;
    copy.webhooks = webhooks;
    copy.stages = stages;
    return copy;
  }

  /** The same, submitted with this API key; null: without one. */
  public JobSpec withSubmittedBy(@Nullable String key) {
    return toBuilder().submittedBy(key).build();
  }

  /** The same with other stages. */
  public JobSpec withStages(List<StageSpec> others) {
    return toBuilder().stages(others).build();
  }

  public @Nullable String name() {
    return labels.name();
  }

  public List<String> tags() {
    return labels.tags();
  }

  public JsonObject metadata() {
    return labels.metadata();
  }

  public JsonObject data() {
    return labels.data();
  }

  public @Nullable JobId parent() {
    return relations.parent();
  }

  public @Nullable JobId retryOf() {
    return relations.retryOf();
  }

  public @Nullable String submittedBy() {
    return relations.submittedBy();
  }

  /** Collects the parts of a job. {@link #build} checks them. */
  public static final class Builder {
    private JobLabels labels =
        new JobLabels(null, List.of(), JsonObject.create(), JsonObject.create());
    private JobRelations relations = JobRelations.NONE;
    private Priority priority = Priority.MEDIUM;
    private boolean held;
    private boolean open;
    private @Nullable TraceContext trace;
    private List<Webhook> webhooks = List.of();
    private List<StageSpec> stages = List.of();

    private Builder() {}

    public Builder labels(JobLabels all) {
      this.labels = all;
      return this;
    }

    public Builder name(@Nullable String name) {
      return labels(new JobLabels(name, labels.tags(), labels.metadata(), labels.data()));
    }

    public Builder tags(List<String> tags) {
      return labels(new JobLabels(labels.name(), tags, labels.metadata(), labels.data()));
    }

    public Builder metadata(JsonObject metadata) {
      return labels(labels.withMetadata(metadata));
    }

    public Builder data(JsonObject data) {
      return labels(new JobLabels(labels.name(), labels.tags(), labels.metadata(), data));
    }

    public Builder relations(JobRelations both) {
      this.relations = both;
      return this;
    }

    public Builder parent(@Nullable JobId parent) {
      return relations(new JobRelations(parent, relations.retryOf(), relations.submittedBy()));
    }

    public Builder retryOf(@Nullable JobId job) {
      return relations(new JobRelations(relations.parent(), job, relations.submittedBy()));
    }

    public Builder submittedBy(@Nullable String key) {
      return relations(new JobRelations(relations.parent(), relations.retryOf(), key));
    }

    public Builder priority(Priority value) {
      this.priority = value;
      return this;
    }

    public Builder held(boolean value) {
      this.held = value;
      return this;
    }

    public Builder open(boolean value) {
      this.open = value;
      return this;
    }

    public Builder trace(@Nullable TraceContext context) {
      this.trace = context;
      return this;
    }

    public Builder webhooks(List<Webhook> all) {
      this.webhooks = all;
      return this;
    }

    public Builder stages(List<StageSpec> all) {
      this.stages = all;
      return this;
    }

    /**
     * Makes the job.
     *
     * @throws IllegalArgumentException naming the rule that a part breaks
     */
    public JobSpec build() {
      return new JobSpec(labels, relations, priority, held, open, trace, webhooks, stages);
    }
  }
}
