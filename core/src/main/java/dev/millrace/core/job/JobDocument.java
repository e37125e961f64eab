package dev.millrace.core.job;

import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TraceContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes a job as a JSON document, for {@code work --job} and {@code job.json}. Unknown
 * fields are refused by name. Who submitted a job is not in its document: a user who writes one
 * cannot claim to be another.
 */
public final class JobDocument {
  private static final Set<String> JOB =
      Set.of(
          "name",
          "priority",
          "hold",
          "open",
          "parent",
          "retryOf",
          "tags",
          "data",
          "metadata",
          "traceparent",
          "tracestate",
          "webhooks",
          "stages");
  private static final Set<String> STAGE =
      Set.of(
          "type",
          "gate",
          "collect",
          "tolerate",
          "data",
          "metadata",
          "traceparent",
          "tracestate",
          "tasks",
          "tasksFile",
          "each",
          "maxAttempts",
          "backoff",
          "queueTimeout",
          "runTimeout",
          "recoveryCeiling");
  private static final Set<String> TASK =
      Set.of("input", "template", "maxAttempts", "metadata", "traceparent", "tracestate");
  private static final Set<String> WEBHOOK = Set.of("url", "on");
  private static final Set<String> BACKOFF = Set.of("base", "factor", "max", "jitter");

  private JobDocument() {}

  /** Provides the tasks of a stage that are not in the document itself. */
  @FunctionalInterface
  public interface TaskSource {
    /** The tasks of a stage; {@code file} is the document's {@code tasksFile}, or null. */
    List<TaskSpec> tasks(int stage, @Nullable String file);
  }

  /** For documents that contain their tasks. */
  public static final TaskSource INLINE =
      (stage, file) -> {
        if (file != null) {
          throw new JsonException("stage " + stage + ": \"tasksFile\" is not possible here");
        }
        return List.of();
      };

  /**
   * @throws JsonException or IllegalArgumentException naming the field and the rule it breaks
   */
  public static JobSpec read(JsonObject document, TaskSource source) {
    document.only(JOB);
    List<StageSpec> stages = new ArrayList<>();
    for (Object stage : document.list("stages")) {
      int number = stages.size() + 1;
      stages.add(stage(JsonObject.of(stage, "stage " + number), number, source));
    }
    return JobSpec.builder()
        .name(document.string("name", null))
        .priority(priority(document))
        .held(document.flag("hold", false))
        .parent(id(document, "parent"))
        .retryOf(id(document, "retryOf"))
        .tags(tags(document))
        .metadata(document.object("metadata"))
        .stages(stages)
        .open(document.flag("open", false))
        .data(document.object("data"))
        .trace(trace(document))
        .webhooks(webhooks(document))
        .build();
  }

  /** A stage without tasks, as {@link #write(StageSpec)} wrote it. */
  public static StageSpec readStage(JsonObject in, int number) {
    return stage(in, number, INLINE);
  }

  private static StageSpec stage(JsonObject in, int number, TaskSource source) {
    in.only(STAGE);
    List<TaskSpec> tasks = new ArrayList<>();
    for (Object task : in.list("tasks")) {
      tasks.add(task(task, "stage " + number + ", task " + (tasks.size() + 1)));
    }
    if (tasks.isEmpty()) {
      tasks.addAll(source.tasks(number, in.string("tasksFile", null)));
    } else if (in.has("tasksFile")) {
      throw new JsonException("stage " + number + ": give \"tasks\" or \"tasksFile\", not both");
    }
    boolean collect = in.flag("collect", false);
    if (!collect && in.has("tolerate")) {
      throw new JsonException("stage " + number + ": \"tolerate\" needs \"collect\": true");
    }
    FailureTolerance tolerance =
        collect ? new FailureTolerance(true, in.number("tolerate", 1.0)) : FailureTolerance.NONE;
    return StageSpec.builder(in.string("type"))
        .gate(in.flag("gate", false))
        .tolerance(tolerance)
        .policy(policy(in))
        .tasks(tasks)
        .each(in.string("each", null))
        .data(in.object("data"))
        .metadata(in.object("metadata"))
        .trace(named("stage " + number, () -> trace(in)))
        .build();
  }

  /** Adds the part of the document to an error that names only a field. */
  private static <T extends @Nullable Object> T named(String where, Supplier<T> read) {
    try {
      return read.get();
    } catch (JsonException | IllegalArgumentException e) {
      throw new JsonException(where + ": " + e.getMessage());
    }
  }

  /** The trace that {@code in} belongs to, or null. */
  public static @Nullable TraceContext trace(JsonObject in) {
    String parent = in.string("traceparent", null);
    String state = in.string("tracestate", null);
    if (parent == null && state != null) {
      throw new JsonException("\"tracestate\" needs \"traceparent\"");
    }
    return parent == null ? null : new TraceContext(parent, state);
  }

  /** The webhooks in {@code in}. */
  public static List<Webhook> webhooks(JsonObject in) {
    List<Webhook> hooks = new ArrayList<>();
    for (Object hook : in.list("webhooks")) {
      JsonObject one = JsonObject.of(hook, "webhook " + (hooks.size() + 1)).only(WEBHOOK);
      Set<Webhook.Event> on = EnumSet.noneOf(Webhook.Event.class);
      for (Object event : one.list("on")) {
        on.add(event(event));
      }
      hooks.add(new Webhook(one.string("url"), on));
    }
    return hooks;
  }

  private static Webhook.Event event(@Nullable Object word) {
    for (Webhook.Event event : Webhook.Event.values()) {
      if (event.word().equals(word)) {
        return event;
      }
    }
    throw new JsonException(
        "webhook: \"on\" lists any of completed, failed, aborted, waiting, not " + word);
  }

  /**
   * A task: text, {@code {"input": …}} or {@code {"template": "…"}}; the latter two may have
   * attempts, metadata and a trace.
   */
  public static TaskSpec task(@Nullable Object value, String where) {
    if (value instanceof String text) {
      return TaskSpec.of(text);
    }
    JsonObject in = JsonObject.of(value, where).only(TASK);
    if (in.has("template") && in.values().containsKey("input")) {
      throw new JsonException(where + ": give \"input\" or \"template\", not both");
    }
    boolean template = in.has("template");
    if (!template && !in.values().containsKey("input")) {
      throw new JsonException(where + " has no \"input\"");
    }
    Object input = template ? in.string("template") : in.get("input");
    Integer attempts = in.has("maxAttempts") ? (Integer) small(in, "maxAttempts", 1) : null;
    JsonObject metadata = in.object("metadata");
    return named(where, () -> new TaskSpec(input, template, attempts, metadata, trace(in)));
  }

  /** The limits in {@code in}, with defaults for those that are absent. */
  public static TaskPolicy policy(JsonObject in) {
    TaskPolicy otherwise = TaskPolicy.DEFAULT;
    JsonObject backoff = in.object("backoff").only(BACKOFF);
    Backoff usual = Backoff.DEFAULT;
    return new TaskPolicy(
        small(in, "maxAttempts", otherwise.maxAttempts()),
        new Backoff(
            duration(backoff, "base", usual.base()),
            backoff.number("factor", usual.factor()),
            duration(backoff, "max", usual.max()),
            backoff.number("jitter", usual.jitter())),
        duration(in, "queueTimeout", null),
        duration(in, "runTimeout", null),
        small(in, "recoveryCeiling", otherwise.recoveryCeiling()));
  }

  private static int small(JsonObject in, String name, int otherwise) {
    return Math.clamp(in.integer(name, otherwise), Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  private static Duration duration(JsonObject in, String name, @Nullable Duration otherwise) {
    String text = in.string(name, null);
    return text == null ? otherwise : DurationParser.parse(text);
  }

  /** The priority in {@code in}; MEDIUM if absent. */
  public static Priority priority(JsonObject in) {
    String text = in.string("priority", null);
    return text == null ? Priority.MEDIUM : priority(text);
  }

  public static Priority priority(String text) {
    try {
      return Priority.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "priority \"" + text + "\" must be one of VERY_HIGH, HIGH, MEDIUM, LOW, VERY_LOW");
    }
  }

  /** The job named in {@code in}, or null. */
  public static @Nullable JobId id(JsonObject in, String name) {
    String text = in.string(name, null);
    return text == null ? null : job(text);
  }

  /** A job's id, or its UUID. */
  private static JobId job(String text) {
    return EntityId.parse(text)
        .flatMap(EntityId::of)
        .filter(id -> id.stage() == 0)
        .map(EntityId::job)
        .orElseGet(() -> new JobId(text));
  }

  /** The tags in {@code in}. */
  public static List<String> tags(JsonObject in) {
    List<String> tags = new ArrayList<>();
    for (Object tag : in.list("tags")) {
      if (!(tag instanceof String text)) {
        throw new JsonException("\"tags\" must be a list of texts");
      }
      tags.add(text);
    }
    return tags;
  }

  /**
   * The document of {@code spec}.
   *
   * @param inline whether it contains the tasks
   */
  public static JsonObject write(JobSpec spec, boolean inline) {
    JsonObject out = JsonObject.create().putIfPresent("name", spec.name());
    writeHeader(out, spec);
    return out.put("stages", spec.stages().stream().map(stage -> stage(stage, inline)).toList());
  }

  /** Writes priority, hold, relations, tags and metadata that differ from the defaults. */
  public static void writeHeader(JsonObject out, JobSpec spec) {
    if (spec.priority() != Priority.MEDIUM) {
      out.put("priority", spec.priority().name());
    }
    if (spec.held()) {
      out.put("hold", true);
    }
    if (spec.open()) {
      out.put("open", true);
    }
    out.putIfPresent("parent", text(spec.parent())).putIfPresent("retryOf", text(spec.retryOf()));
    if (!spec.tags().isEmpty()) {
      out.put("tags", spec.tags());
    }
    present(out, "data", spec.data());
    present(out, "metadata", spec.metadata());
    write(out, spec.trace());
    if (!spec.webhooks().isEmpty()) {
      out.put("webhooks", spec.webhooks().stream().map(JobDocument::write).toList());
    }
  }

  private static void present(JsonObject out, String name, JsonObject value) {
    if (!value.values().isEmpty()) {
      out.put(name, value);
    }
  }

  private static void write(JsonObject out, @Nullable TraceContext trace) {
    if (trace != null) {
      out.put("traceparent", trace.parent()).putIfPresent("tracestate", trace.state());
    }
  }

  private static JsonObject write(Webhook hook) {
    return JsonObject.create()
        .put("url", hook.url())
        .put("on", hook.events().stream().map(Webhook.Event::word).sorted().toList());
  }

  /** A stage without its tasks. */
  public static JsonObject write(StageSpec stage) {
    return stage(stage, false);
  }

  private static @Nullable String text(@Nullable JobId id) {
    return id == null ? null : id.value();
  }

  private static JsonObject stage(StageSpec stage, boolean inline) {
    JsonObject out = JsonObject.create().put("type", stage.type());
    if (stage.gate()) {
      out.put("gate", true);
    }
    if (stage.tolerance().collect()) {
      out.put("collect", true).put("tolerate", stage.tolerance().share());
    }
    writePolicy(out, stage.policy());
    present(out, "data", stage.data());
    present(out, "metadata", stage.metadata());
    write(out, stage.trace());
    out.putIfPresent("each", stage.each());
    if (inline && !stage.tasks().isEmpty()) {
      out.put("tasks", stage.tasks().stream().map(JobDocument::task).toList());
    }
    return out;
  }

  /** Writes a task in a form that {@link #task(Object, String)} reads. */
  public static JsonObject task(TaskSpec task) {
    JsonObject out =
        JsonObject.create()
            .put(task.template() ? "template" : "input", task.input())
            .putIfPresent("maxAttempts", task.maxAttempts());
    present(out, "metadata", task.metadata());
    write(out, task.trace());
    return out;
  }

  /** Writes a backoff, also the default one. */
  public static void writeBackoff(JsonObject out, Backoff backoff) {
    out.put(
        "backoff",
        JsonObject.create()
            .put("base", backoff.base().toString())
            .put("factor", backoff.factor())
            .put("max", backoff.max().toString())
            .put("jitter", backoff.jitter()));
  }

  /** Writes the limits that differ from the defaults. */
  public static void writePolicy(JsonObject out, TaskPolicy policy) {
    TaskPolicy usual = TaskPolicy.DEFAULT;
    if (policy.maxAttempts() != usual.maxAttempts()) {
      out.put("maxAttempts", policy.maxAttempts());
    }
    if (!policy.backoff().equals(usual.backoff())) {
      writeBackoff(out, policy.backoff());
    }
    if (policy.queueTimeout() != null) {
      out.put("queueTimeout", policy.queueTimeout().toString());
    }
    if (policy.runTimeout() != null) {
      out.put("runTimeout", policy.runTimeout().toString());
    }
    if (policy.recoveryCeiling() != usual.recoveryCeiling()) {
      out.put("recoveryCeiling", policy.recoveryCeiling());
    }
  }
}
