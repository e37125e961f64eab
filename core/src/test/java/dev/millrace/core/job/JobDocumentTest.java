package dev.millrace.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.random.RandomJobSpecs;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TraceContext;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobDocumentTest {

  private static JobSpec read(String text) {
    return JobDocument.read(Json.object(text), JobDocument.INLINE);
  }

  /** A document with one stage that has these fields besides its type. */
  private static String stage(String fields) {
    return "{\"stages\":[{\"type\":\"a\"," + fields + "}]}";
  }

  private static void assertRefused(String text, String message) {
    assertThatThrownBy(() -> read(text))
        .as(text)
        .isInstanceOfAny(JsonException.class, IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void theSmallestDocumentHasAllDefaults() {
    JobSpec spec = read("{\"stages\":[{\"type\":\"generate\",\"tasks\":[\"hello\"]}]}");
    assertThat(spec).isEqualTo(JobSpec.prompt("generate", "hello"));
    assertThat(spec.priority()).isEqualTo(Priority.MEDIUM);
    assertThat(spec.held()).isFalse();
    StageSpec stage = spec.stages().getFirst();
    assertThat(stage.policy()).isEqualTo(TaskPolicy.DEFAULT);
    assertThat(stage.tolerance()).isEqualTo(FailureTolerance.NONE);
  }

  @Test
  void everyFieldIsRead() {
    JobSpec spec =
        read(
            """
            {"name": "n", "priority": "very-high", "hold": true, "parent": "1_2_3", "retryOf": "4_5_6",
             "tags": ["a", "b-2"], "metadata": {"k": [1]},
             "stages": [
               {"type": "resize", "gate": true, "collect": true, "tolerate": 0.25, "data": {"w": 3},
                "tasks": ["x", {"input": {"y": 1}}, {"input": null}],
                "maxAttempts": 4, "queueTimeout": "2h", "runTimeout": "500ms", "recoveryCeiling": 0,
                "backoff": {"base": "1s", "factor": 3, "max": "PT1M", "jitter": 0}},
               {"type": "join", "tasks": [{"template": "{{results}}"}]},
               {"type": "split", "each": "{{result}}", "collect": true}]}
            """);
    assertThat(spec.name()).isEqualTo("n");
    assertThat(spec.priority()).isEqualTo(Priority.VERY_HIGH);
    assertThat(spec.held()).isTrue();
    assertThat(spec.parent()).isEqualTo(new JobId("1_2_3"));
    assertThat(spec.retryOf()).isEqualTo(new JobId("4_5_6"));
    assertThat(spec.tags()).containsExactly("a", "b-2");
    assertThat(spec.metadata()).isEqualTo(Json.object("{\"k\":[1]}"));
    StageSpec first = spec.stages().get(0);
    assertThat(first.gate()).isTrue();
    assertThat(first.tolerance()).isEqualTo(new FailureTolerance(true, 0.25));
    assertThat(first.data()).isEqualTo(Json.object("{\"w\":3}"));
    assertThat(first.tasks())
        .containsExactly(TaskSpec.of("x"), TaskSpec.of(Json.parse("{\"y\":1}")), TaskSpec.of(null));
    assertThat(first.policy())
        .isEqualTo(
            new TaskPolicy(
                4,
                new Backoff(Duration.ofSeconds(1), 3.0, Duration.ofMinutes(1), 0.0),
                Duration.ofHours(2),
                Duration.ofMillis(500),
                0));
    assertThat(spec.stages().get(1).tasks()).containsExactly(new TaskSpec("{{results}}", true));
    assertThat(spec.stages().get(2).each()).isEqualTo("{{result}}");
    assertThat(spec.stages().get(2).tolerance()).isEqualTo(FailureTolerance.ALL);
  }

  private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  @Test
  void everyFieldOfAnOpenJobIsRead() {
    JobSpec spec =
        read(
            """
            {"open": true, "data": {"d": 1}, "traceparent": "%1$s", "tracestate": "k=v",
             "webhooks": [{"url": "https://example.org/x", "on": ["failed", "waiting"]},
                          {"url": "http://example.org/y"}],
             "stages": [{"type": "a", "metadata": {"m": 1}, "traceparent": "%1$s",
               "tasks": [{"input": 1, "maxAttempts": 3, "metadata": {"t": 1}, "traceparent": "%1$s",
                          "tracestate": ""}]}]}
            """
                .formatted(PARENT));
    assertThat(spec.open()).isTrue();
    assertThat(spec.data()).isEqualTo(Json.object("{\"d\":1}"));
    assertThat(spec.trace()).isEqualTo(new TraceContext(PARENT, "k=v"));
    assertThat(spec.webhooks())
        .containsExactly(
            new Webhook(
                "https://example.org/x", Set.of(Webhook.Event.FAILED, Webhook.Event.WAITING)),
            new Webhook("http://example.org/y", Set.of(Webhook.Event.values())));
    StageSpec stage = spec.stages().getFirst();
    assertThat(stage.metadata()).isEqualTo(Json.object("{\"m\":1}"));
    assertThat(stage.trace()).isEqualTo(new TraceContext(PARENT, null));
    assertThat(stage.tasks())
        .containsExactly(
            new TaskSpec(1L, false, 3, Json.object("{\"t\":1}"), new TraceContext(PARENT, "")));
    assertThat(read("{\"open\":true}").stages()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"open\":1|\"open\" must be true or false",
        "\"data\":[]|data must be an object, not a list",
        "\"traceparent\":\"x\"|traceparent must be 2, 32, 16 and 2 hex digits",
        "\"traceparent\":7|\"traceparent\" must be text",
        "\"tracestate\":\"x\"|\"tracestate\" needs \"traceparent\"",
        "\"webhooks\":{}|\"webhooks\" must be a list",
        "\"webhooks\":[\"x\"]|webhook 1 must be an object, not text",
        "\"webhooks\":[{}]|webhook 1 has no \"url\"",
        "\"webhooks\":[{\"url\":\"ftp://x/\"}]|webhook: \"url\" must be http",
        "\"webhooks\":[{\"url\":\"http://x/\",\"to\":1}]|webhook 1 has an unknown field \"to\"",
        "\"webhooks\":[{\"url\":\"http://x/\",\"on\":[\"done\"]}]|any of completed, failed,"
            + " aborted, waiting, not done",
        "\"webhooks\":[{\"url\":\"http://x/\",\"on\":\"failed\"}]|\"on\" must be a list",
      })
  void aBrokenRuleOfAJobIsNamed(String fields, String message) {
    assertRefused("{" + fields + ",\"stages\":[{\"type\":\"a\"}]}", message);
  }

  @Test
  void tooManyWebhooksAreRefused() {
    String hooks = String.join(",", Collections.nCopies(11, "{\"url\":\"http://x/\"}"));
    assertRefused("{\"open\":true,\"webhooks\":[" + hooks + "]}", "at most 10 webhooks, got 11");
  }

  @Test
  void aStageIsReadAsItWasWrittenWithoutItsTasks() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 200; i++) {
      for (StageSpec stage : RandomJobSpecs.next(random, List.of()).stages()) {
        String text = Json.write(JobDocument.write(stage));
        assertThat(JobDocument.readStage(Json.object(text), 1))
            .isEqualTo(stage.withTasks(List.of()));
      }
    }
  }

  @Test
  void writtenValuesAreReadBackUnchanged() {
    long seed = System.nanoTime();
    System.out.println("JobDocumentTest: seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    List<JobId> known = List.of(new JobId("1_2_3"), JobId.of(1, 2, 3));
    for (int i = 0; i < 3_000; i++) {
      JobSpec spec = RandomJobSpecs.next(random, known);
      String text = Json.pretty(JobDocument.write(spec, true));
      assertThat(read(text)).as("seed %s: %s", seed, text).isEqualTo(spec);
    }
  }

  @Test
  void tasksMayBeInASeparateFile() {
    List<TaskSpec> tasks = List.of(TaskSpec.of("a"), TaskSpec.of(1L));
    JobSpec spec = JobSpec.of(List.of(StageSpec.of("x", tasks), StageSpec.of("y", tasks)));
    String text = Json.write(JobDocument.write(spec, false));
    assertThat(text).doesNotContain("tasks");
    assertThat(JobDocument.read(Json.object(text), (stage, file) -> tasks)).isEqualTo(spec);

    JobSpec named =
        JobDocument.read(
            Json.object("{\"stages\":[{\"type\":\"x\",\"tasksFile\":\"in.jsonl\"}]}"),
            (stage, file) -> List.of(TaskSpec.of(stage + " " + file)));
    assertThat(named.stages().getFirst().tasks()).containsExactly(TaskSpec.of("1 in.jsonl"));
  }

  @Test
  void priorityIsReadInAnyCase() {
    for (Priority priority : Priority.values()) {
      String name = priority.name();
      assertThat(JobDocument.priority(name)).isEqualTo(priority);
      assertThat(JobDocument.priority(name.toLowerCase(Locale.ROOT).replace('_', '-')))
          .isEqualTo(priority);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"colour\":1,\"stages\":[]}|unknown field \"colour\"; known: data, hold, metadata,"
            + " name, open, parent",
        "{\"stages\":[{\"type\":\"a\",\"retries\":1}]}|stage 1 has an unknown field \"retries\"",
        "{\"stages\":[{\"type\":\"a\",\"backoff\":{\"cap\":1}}]}|stage 1.backoff has an unknown"
            + " field \"cap\"",
        "{\"stages\":[{\"type\":\"a\",\"tasks\":[{\"input\":1,\"id\":2}]}]}|task 1 has an unknown"
            + " field \"id\"",
        "{}|a job has 1 to 1000 stages, got 0",
        "{\"stages\":[]}|a job has 1 to 1000 stages, got 0",
        "{\"stages\":{}}|\"stages\" must be a list, not an object",
        "{\"stages\":[7]}|stage 1 must be an object, not the number 7",
        "{\"stages\":[{\"tasks\":[\"x\"]}]}|stage 1 has no \"type\"",
        "{\"name\":7,\"stages\":[]}|\"name\" must be text, not the number 7",
        "{\"hold\":\"yes\",\"stages\":[]}|\"hold\" must be true or false, not text",
        "{\"priority\":\"urgent\",\"stages\":[{\"type\":\"a\"}]}|priority \"urgent\" must be one of"
            + " VERY_HIGH",
        "{\"parent\":\"../x\",\"stages\":[{\"type\":\"a\"}]}|invalid job id \"../x\"",
        "{\"retryOf\":\"\",\"stages\":[{\"type\":\"a\"}]}|invalid job id",
        "{\"tags\":[1],\"stages\":[{\"type\":\"a\"}]}|\"tags\" must be a list of texts",
        "{\"tags\":[\"a b\"],\"stages\":[{\"type\":\"a\"}]}|tag \"a b\" must be 1 to 64 letters",
        "{\"metadata\":[],\"stages\":[{\"type\":\"a\"}]}|metadata must be an object, not a list",
        "{\"name\":\" \",\"stages\":[{\"type\":\"a\"}]}|a job's name has 1 to 200 characters",
        "{\"stages\":[{\"type\":\"a/b\"}]}|stage type \"a/b\" must not contain",
        "{\"stages\":[{\"type\":\"../x\"}]}|stage type \"../x\" must not contain",
        "{\"stages\":[{\"type\":\"..\"}]}|cannot be part of a URL",
        "{\"stages\":[{\"type\":\"\"}]}|must have 1 to 128 characters, it has 0",
        "{\"stages\":[{\"type\":\"e\u0301\"}]}|must be in the Unicode normalization form NFC",
        "{\"stages\":[{\"type\":\"a\",\"each\":\"{{result}}\"}]}|the first stage has no earlier"
            + " results",
        "{\"stages\":[{\"type\":\"a\",\"tasks\":[{\"template\":\"x\"}]}]}|the first stage has no"
            + " earlier results"
      })
  void aBrokenRuleIsNamed(String text, String message) {
    assertRefused(text, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"tasks\":\"x\"|\"tasks\" must be a list, not text",
        "\"tasks\":[7]|stage 1, task 1 must be an object, not the number 7",
        "\"tasks\":[\"x\",{}]|stage 1, task 2 has no \"input\"",
        "\"tasks\":[{\"template\":7}]|\"template\" must be text, not the number 7",
        "\"tasks\":[{\"input\":1,\"template\":\"x\"}]|give \"input\" or \"template\", not both",
        "\"tasks\":[\"x\"],\"tasksFile\":\"f\"|stage 1: give \"tasks\" or \"tasksFile\", not both",
        "\"tasksFile\":\"f\"|stage 1: \"tasksFile\" is not possible here",
        "\"tasks\":[\"x\"],\"each\":\"y\"|stage \"a\": give \"each\" or \"tasks\", not both",
        "\"tolerate\":0.5|stage 1: \"tolerate\" needs \"collect\": true",
        "\"collect\":true,\"tolerate\":1.5|tolerate must be 0 to 1, got 1.5",
        "\"collect\":true,\"tolerate\":1e400|tolerate must be 0 to 1",
        "\"gate\":1|\"gate\" must be true or false, not the number 1",
        "\"maxAttempts\":0|maxAttempts must be 1 to 1000, got 0",
        "\"maxAttempts\":1.5|\"maxAttempts\" must be a whole number",
        "\"maxAttempts\":4294967297|maxAttempts must be 1 to 1000",
        "\"recoveryCeiling\":-1|recoveryCeiling must be 0 to 1000, got -1",
        "\"queueTimeout\":\"soon\"|\"soon\" is not a duration",
        "\"queueTimeout\":60|\"queueTimeout\" must be text",
        "\"runTimeout\":\"0s\"|runTimeout must be longer than 0",
        "\"runTimeout\":\"999999999999d\"|runTimeout must be at most 3650 days",
        "\"backoff\":{\"base\":\"2s\",\"max\":\"1s\"}|backoff: 0 <= base <= max",
        "\"backoff\":{\"max\":\"999999999999d\"}|backoff: max must be at most 3650 days",
        "\"backoff\":{\"factor\":0.5}|backoff: factor must be 1 to 100",
        "\"backoff\":{\"jitter\":2}|backoff: jitter must be 0 to 1",
        "\"backoff\":5|backoff must be an object",
        "\"metadata\":7|stage 1.metadata must be an object, not the number 7",
        "\"traceparent\":\"x\"|stage 1: traceparent must be",
        "\"tracestate\":\"x\"|stage 1: \"tracestate\" needs \"traceparent\"",
        "\"tasks\":[\"x\",{\"input\":1,\"maxAttempts\":0}]|stage 1, task 2: maxAttempts must be 1"
            + " to 1000, got 0",
        "\"tasks\":[{\"input\":1,\"maxAttempts\":\"2\"}]|stage 1, task 1: \"maxAttempts\" must be a"
            + " whole number",
        "\"tasks\":[{\"input\":1,\"traceparent\":\"x\"}]|stage 1, task 1: traceparent must be",
        "\"tasks\":[{\"input\":1,\"metadata\":[]}]|metadata must be an object, not a list",
        "\"data\":7|data must be an object, not the number 7"
      })
  void aBrokenRuleOfAStageIsNamed(String fields, String message) {
    assertRefused(stage(fields), message);
  }

  @Test
  void limitsAreChecked() {
    String many =
        IntStream.range(0, 1_001)
            .mapToObj(i -> "{\"type\":\"a\"}")
            .collect(Collectors.joining(","));
    assertRefused("{\"stages\":[" + many + "]}", "a job has 1 to 1000 stages, got 1001");
    String tags =
        IntStream.range(0, 101).mapToObj(i -> "\"t" + i + "\"").collect(Collectors.joining(","));
    assertRefused(
        "{\"tags\":[" + tags + "],\"stages\":[{\"type\":\"a\"}]}", "at most 100 tags, got 101");
    assertRefused(
        "{\"tags\":[\"" + "x".repeat(65) + "\"],\"stages\":[{\"type\":\"a\"}]}", "1 to 64");
    assertRefused("{\"stages\":[{\"type\":\"" + "x".repeat(129) + "\"}]}", "1 to 128");
    assertRefused(
        "{\"name\":\"" + "x".repeat(201) + "\",\"stages\":[{\"type\":\"a\"}]}", "1 to 200");
    List<TaskSpec> tooMany = Collections.nCopies(StageSpec.MAX_TASKS + 1, TaskSpec.of("x"));
    assertThatThrownBy(() -> StageSpec.of("a", tooMany))
        .hasMessageContaining("at most 200000 tasks");
  }
}
