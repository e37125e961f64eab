package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;

/** Runs tasks on an {@link Inference} for tests. */
final class TaskRunFixture {
  private TaskRunFixture() {}

  static TaskOutcome run(Inference inference, FakeTaskContext task) throws Exception {
    for (Worker worker : inference.workers()) {
      if (worker.type().equals(task.claim().type())) {
        return worker.work(task);
      }
    }
    throw new AssertionError("no worker for " + task.claim().type());
  }

  static TaskResult result(Inference inference, FakeTaskContext task) throws Exception {
    TaskOutcome outcome = run(inference, task);
    assertThat(outcome).isInstanceOf(TaskOutcome.Done.class);
    return ((TaskOutcome.Done) outcome).result();
  }

  static Failure failure(Inference inference, FakeTaskContext task) throws Exception {
    TaskOutcome outcome = run(inference, task);
    assertThat(outcome).isInstanceOf(TaskOutcome.Failed.class);
    return ((TaskOutcome.Failed) outcome).failure();
  }

  static JsonObject receipt(TaskResult result) {
    assertThat(result.receipt()).isNotNull();
    return result.receipt();
  }
}
