package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.stage.Tolerance;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Small jobs of every shape: gates, tolerances, templates with and without answers, limits, holds. */
public final class RandomSpecs {
  static final List<String> TYPES = List.of("generate", "embed", "resize");
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
          "{{nonsense}}");
  private static final List<String> TEMPLATES =
      List.of(
          "{{results}}",
          "{{results.json}}",
          "{{results[1]}}",
          "{{stages[1].results}}",
          "{{results[2].name}}",
          "{{stages[9].results}}",
          "no placeholder");
  private static final List<Duration> LIMITS =
      List.of(Duration.ofSeconds(2), Duration.ofMinutes(1), Duration.ofMillis(90_500));

  private final RandomGenerator random;
  private final List<JobId> known;

  private RandomSpecs(RandomGenerator random, List<JobId> known) {
    this.random = random;
    this.known = known;
  }

  /** A job that may name one of {@code known} as its parent or as what it runs again. */
  public static JobSpec next(RandomGenerator random, List<JobId> known) {
    return new RandomSpecs(random, known).job();
  }

  private JobSpec job() {
    List<StageSpec> stages = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      stages.add(stage(i > 0));
    }
    List<String> tags = new ArrayList<>();
    TAGS.stream().filter(tag -> oneIn(3)).forEach(tags::add);
    return new JobSpec(
        oneIn(3) ? "job \"" + random.nextInt(100) + "\"" : null,
        pick(List.of(Priority.values())),
        oneIn(8),
        idOrNull(),
        idOrNull(),
        tags,
        oneIn(2)
            ? Json.object("{\"n\":" + random.nextInt() + ",\"x\":[0.1,null]}")
            : JsonObject.create(),
        stages);
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
          fanIn && !oneIn(3)
              ? new TaskSpec(pick(TEMPLATES), true)
              : TaskSpec.of(Json.parse(pick(INPUTS))));
    }
    return new StageSpec(
        pick(TYPES),
        oneIn(6),
        tolerance(),
        policy(),
        tasks,
        each ? pick(EACH) : null,
        oneIn(3)
            ? Json.object("{\"temperature\":0.25,\"k\":" + random.nextInt(9) + "}")
            : JsonObject.create());
  }

  private Tolerance tolerance() {
    return oneIn(3) ? new Tolerance(true, random.nextInt(5) / 4.0) : Tolerance.NONE;
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
