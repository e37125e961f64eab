package dev.millrace.store.fs;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.TraceContext;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.stage.Tolerance;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Says in few words which job a test is about. */
final class Specs {
  static final Duration MINUTE = Duration.ofMinutes(1);

  private Specs() {}

  static JobSpec job(StageSpec... stages) {
    return JobSpec.of(List.of(stages));
  }

  /** A plain prompt, with everything that its metadata can say. */
  static JobSpec plain(String prompt) {
    JsonObject data = JsonObject.create().put("temperature", 0L).put("max_tokens", 16L);
    StageSpec stage =
        new StageSpec(
            "generate",
            false,
            Tolerance.NONE,
            TaskPolicy.DEFAULT,
            List.of(TaskSpec.of(prompt)),
            null,
            data);
    return new JobSpec(
        "plain",
        Priority.HIGH,
        false,
        null,
        null,
        List.of("tag"),
        JsonObject.create().put("key", "value"),
        List.of(stage));
  }

  static JobSpec held(JobSpec it) {
    return new JobSpec(
        it.name(),
        it.priority(),
        true,
        it.parent(),
        it.retryOf(),
        it.tags(),
        it.metadata(),
        it.stages());
  }

  /** A job that grows. */
  static JobSpec open(StageSpec... stages) {
    return new JobSpec(
        "open",
        Priority.LOW,
        false,
        null,
        null,
        List.of(),
        JsonObject.create(),
        List.of(stages),
        true,
        JsonObject.create().put("key", "value"),
        null,
        List.of());
  }

  /** The same, of which nobody says that it grows; one stage at least. */
  static JobSpec sealed(JobSpec it) {
    return new JobSpec(
        it.name(),
        it.priority(),
        it.held(),
        it.parent(),
        it.retryOf(),
        it.tags(),
        it.metadata(),
        it.stages().isEmpty() ? List.of(stage("a", "at last")) : it.stages());
  }

  /** Whose end somebody is to be told of. */
  static JobSpec hooked(JobSpec it) {
    return new JobSpec(
        it.name(),
        it.priority(),
        it.held(),
        it.parent(),
        it.retryOf(),
        it.tags(),
        it.metadata(),
        it.stages(),
        it.open(),
        it.data(),
        it.trace(),
        List.of(new Webhook("http://localhost:9/", Set.of())));
  }

  /** A task that says everything that one can say. */
  static TaskSpec task(String input, int attempts) {
    return new TaskSpec(
        input,
        false,
        attempts,
        JsonObject.create().put("of", input),
        new TraceContext("00-" + "1".repeat(32) + "-" + "2".repeat(16) + "-01", null));
  }

  static StageSpec stage(String type, String... inputs) {
    return StageSpec.of(type, Arrays.stream(inputs).map(TaskSpec::of).toList());
  }

  static StageSpec each(String type, String text) {
    return new StageSpec(
        type, false, Tolerance.NONE, TaskPolicy.DEFAULT, List.of(), text, JsonObject.create());
  }

  static StageSpec templates(String type, String... texts) {
    return StageSpec.of(type, Arrays.stream(texts).map(text -> new TaskSpec(text, true)).toList());
  }

  static StageSpec gate(StageSpec it) {
    return new StageSpec(
        it.type(), true, it.tolerance(), it.policy(), it.tasks(), it.each(), it.data());
  }

  static JobSpec with(TaskPolicy policy, JobSpec it) {
    return new JobSpec(
        it.name(),
        it.priority(),
        it.held(),
        it.parent(),
        it.retryOf(),
        it.tags(),
        it.metadata(),
        it.stages().stream()
            .map(
                stage ->
                    new StageSpec(
                        stage.type(),
                        stage.gate(),
                        stage.tolerance(),
                        policy,
                        stage.tasks(),
                        stage.each(),
                        stage.data()))
            .toList());
  }

  static TaskPolicy attempts(int most) {
    return new TaskPolicy(most, Backoff.DEFAULT, null, null, 3);
  }

  static TaskPolicy queueTimeout(Duration limit) {
    return new TaskPolicy(1, Backoff.DEFAULT, limit, null, 3);
  }

  static TaskPolicy runTimeout(Duration limit) {
    return new TaskPolicy(1, Backoff.DEFAULT, null, limit, 3);
  }

  /** Survives any number of crashes. */
  static TaskPolicy indestructible() {
    return new TaskPolicy(1, Backoff.DEFAULT, null, null, 1000);
  }
}
