package dev.millrace.core.store.contract;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the jobs of the contract tests. */
final class ContractJobs {
  private ContractJobs() {}

  static JobSpec job(StageSpec... stages) {
    return JobSpec.of(List.of(stages));
  }

  static JobSpec held(JobSpec it) {
    return it.toBuilder().held(true).build();
  }

  /** A job that stages and tasks can be added to. */
  static JobSpec openJob(StageSpec... stages) {
    return JobSpec.builder().stages(List.of(stages)).open(true).build();
  }

  static JobSpec webhooks(JobSpec it, Webhook... hooks) {
    return it.toBuilder().webhooks(List.of(hooks)).build();
  }

  static JobSpec priority(Priority priority, JobSpec it) {
    return it.toBuilder().priority(priority).build();
  }

  static JobSpec tagged(JobSpec it, @Nullable JobId parent, String... tags) {
    return it.toBuilder().parent(parent).tags(List.of(tags)).build();
  }

  static JobSpec retryOf(JobId id, JobSpec it) {
    return it.toBuilder().retryOf(id).build();
  }

  /** A task that may fail that often. */
  static TaskSpec task(@Nullable Object input, int attempts) {
    return new TaskSpec(input, false, attempts, JsonObject.create(), null);
  }

  static StageSpec stage(String type, String... inputs) {
    return StageSpec.of(type, Arrays.stream(inputs).map(TaskSpec::of).toList());
  }

  /** A stage of {@code count} tasks. */
  static StageSpec tasks(String type, int count) {
    String[] inputs = new String[count];
    Arrays.setAll(inputs, i -> "input " + (i + 1));
    return stage(type, inputs);
  }

  static StageSpec templates(String type, String... texts) {
    return StageSpec.of(type, Arrays.stream(texts).map(text -> new TaskSpec(text, true)).toList());
  }

  static StageSpec each(String type, String text) {
    return StageSpec.builder(type).each(text).build();
  }

  static StageSpec gate(StageSpec it) {
    return it.toBuilder().gate(true).build();
  }

  static StageSpec collecting(double share, StageSpec it) {
    return it.toBuilder().tolerance(new FailureTolerance(true, share)).build();
  }

  static StageSpec with(TaskPolicy policy, StageSpec it) {
    return it.toBuilder().policy(policy).build();
  }

  static StageSpec data(JsonObject data, StageSpec it) {
    return it.toBuilder().data(data).build();
  }

  /** A policy with that many attempts, exactly a second apart. */
  static TaskPolicy attempts(int most) {
    Duration second = Duration.ofSeconds(1);
    return new TaskPolicy(most, new Backoff(second, 1.0, second, 0.0), null, null, 3);
  }

  static TaskPolicy ceiling(int recoveries) {
    return new TaskPolicy(1, Backoff.DEFAULT, null, null, recoveries);
  }

  static TaskPolicy queueTimeout(Duration limit) {
    return new TaskPolicy(1, Backoff.DEFAULT, limit, null, 3);
  }

  static TaskPolicy runTimeout(int attempts, Duration limit) {
    TaskPolicy plain = attempts(attempts);
    return new TaskPolicy(attempts, plain.backoff(), null, limit, 3);
  }
}
