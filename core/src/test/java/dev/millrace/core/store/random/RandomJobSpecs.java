package dev.millrace.core.store.random;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.Json;
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
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes small random jobs of every shape: gates, tolerances, templates with and without results,
 * limits, holds; sealed and open.
 */
public final class RandomJobSpecs {
  public static final List<String> TYPES = List.of("generate", "embed", "resize");
  static final List<String> TAGS = List.of("red", "blue", "Round_2-x");

  private static final List<String> INPUTS =
      List.of(
          "\"plain\"",
          "\"\"",
          "\"two\\nlines {{no}}\"",
          "\"é😀\\u2028\"",
          "7",
          "-2.50",
          "null",
          "true",
          "[]",
          "{\"a\":[1,{\"b\":\"c\"}]}");
  private static final List<String> EACH =
      List.of(
          "{{result}}",
          "{{index}}. {{input}}",
          "<{{result}}{{open}}>",
          "{{result.name}}",
          "{{result[7]}}");
  private static final List<String> TEMPLATES =
      List.of(
          "{{results}}",
          "{{results.json}}",
          "{{results[1]}}",
          "{{stages[1].results}}",
          "{{results[2].name}}",
          "{{results[9]}}",
          "no placeholder");
  private static final List<Duration> LIMITS =
      List.of(Duration.ofSeconds(2), Duration.ofMinutes(1), Duration.ofMillis(90_500));

  private final RandomGenerator random;
  private final List<JobId> known;

  private RandomJobSpecs(RandomGenerator random, List<JobId> known) {
    this.random = random;
    this.known = known;
  }

  /** A job that may name one of {@code known} as its parent or as the job that it retries. */
  public static JobSpec next(RandomGenerator random, List<JobId> known) {
    return new RandomJobSpecs(random, known).job();
  }

  /** A stage to add to a job. */
  public static StageSpec stage(RandomGenerator random) {
    RandomJobSpecs specs = new RandomJobSpecs(random, List.of());
    StageSpec stage = specs.stage(true);
    boolean hasTemplates = stage.tasks().stream().anyMatch(TaskSpec::template);
    return hasTemplates ? stage.withTasks(specs.tasks(1)) : stage;
  }

  /** Tasks to add to a stage; sometimes none. */
  public static List<TaskSpec> tasks(RandomGenerator random) {
    return new RandomJobSpecs(random, List.of()).tasks(random.nextInt(4));
  }

  /** Random metadata. */
  public static JsonObject metadata(RandomGenerator random) {
    return new RandomJobSpecs(random, List.of()).some();
  }

  private JobSpec job() {
    List<StageSpec> stages = new ArrayList<>();
    boolean open = oneIn(3);
    int count = (open ? 0 : 1) + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      stages.add(stage(i > 0));
    }
    List<String> tags = new ArrayList<>();
    TAGS.stream().filter(tag -> oneIn(3)).forEach(tags::add);
    return JobSpec.builder()
        .name(oneIn(3) ? "job \"" + random.nextInt(100) + "\"" : null)
        .priority(pick(List.of(Priority.values())))
        .held(oneIn(8))
        .parent(idOrNull())
        .retryOf(idOrNull())
        .tags(tags)
        .metadata(some())
        .stages(stages)
        .open(open)
        .data(some())
        .trace(trace())
        .webhooks(oneIn(5) ? List.of(webhook(), webhook()) : List.of())
        .build();
  }

  private JsonObject some() {
    return oneIn(2)
        ? Json.object("{\"n\":" + random.nextInt() + ",\"x\":[0.1,null]}")
        : JsonObject.create();
  }

  private @Nullable TraceContext trace() {
    return oneIn(4)
        ? new TraceContext(
            "00-%032x-%016x-01".formatted(random.nextLong(), random.nextLong()),
            oneIn(2) ? "vendor=" + random.nextInt(9) : null)
        : null;
  }

  private Webhook webhook() {
    Set<Webhook.Event> on = EnumSet.allOf(Webhook.Event.class);
    on.removeIf(event -> oneIn(2));
    return new Webhook("https://example.org/hook/" + random.nextInt(9), on);
  }

  private List<TaskSpec> tasks(int count) {
    List<TaskSpec> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(task(Json.parse(pick(INPUTS)), false));
    }
    return tasks;
  }

  private TaskSpec task(@Nullable Object input, boolean template) {
    return oneIn(2)
        ? new TaskSpec(input, template)
        : new TaskSpec(input, template, oneIn(2) ? 1 + random.nextInt(3) : null, some(), trace());
  }

  private @Nullable JobId idOrNull() {
    return known.isEmpty() || !oneIn(4) ? null : pick(known);
  }

  private StageSpec stage(boolean templates) {
    boolean each = templates && oneIn(4);
    List<TaskSpec> tasks = new ArrayList<>();
    boolean fanIn = templates && oneIn(4);
    int count = each ? 0 : oneIn(8) ? 0 : 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      tasks.add(
          fanIn && !oneIn(3) ? task(pick(TEMPLATES), true) : task(Json.parse(pick(INPUTS)), false));
    }
    return StageSpec.builder(pick(TYPES))
        .gate(oneIn(6))
        .tolerance(tolerance())
        .policy(policy())
        .tasks(tasks)
        .each(each ? pick(EACH) : null)
        .data(
            oneIn(3)
                ? Json.object("{\"temperature\":0.25,\"k\":" + random.nextInt(9) + "}")
                : JsonObject.create())
        .metadata(some())
        .trace(trace())
        .build();
  }

  private FailureTolerance tolerance() {
    return oneIn(3) ? new FailureTolerance(true, random.nextInt(5) / 4.0) : FailureTolerance.NONE;
  }

  private TaskPolicy policy() {
    if (oneIn(4)) {
      return TaskPolicy.DEFAULT;
    }
    Duration base = Duration.ofMillis(random.nextInt(3_000));
    Backoff backoff =
        oneIn(3)
            ? Backoff.DEFAULT
            : new Backoff(
                base,
                1.0 + random.nextInt(3),
                base.plusSeconds(random.nextInt(10)),
                random.nextInt(5) / 4.0);
    return new TaskPolicy(
        1 + random.nextInt(3),
        backoff,
        oneIn(3) ? pick(LIMITS) : null,
        oneIn(3) ? pick(LIMITS) : null,
        random.nextInt(5));
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
