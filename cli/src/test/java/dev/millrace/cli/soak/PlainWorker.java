package dev.millrace.cli.soak;

import dev.millrace.api.ClaimedTask;
import dev.millrace.api.TaskStatusUpdate;
import dev.millrace.cli.soak.SoakHistory.Answer;
import dev.millrace.client.RetryPolicy;
import dev.millrace.client.StagesApi.DequeueRequest;
import dev.millrace.core.job.EntityId;
import java.time.Duration;
import java.util.List;

/** A worker without the SDK, which sometimes answers long after its lease has ended. */
final class PlainWorker extends SoakClient {
  private static final Duration LEASE = Duration.ofSeconds(5);

  PlainWorker(SoakRun run, String actor) {
    super(run, actor, RetryPolicy.DEFAULT);
  }

  /** What the task {@code job/stage/task} shall result in: it names the claim that produced it. */
  static String result(ClaimedTask claimed) {
    return "done by " + claimed.token();
  }

  static String subject(ClaimedTask claimed) {
    EntityId task = EntityId.of(claimed.id()).orElseThrow();
    return task.job().value() + "/" + task.stage() + "/" + task.task();
  }

  @Override
  void step() throws InterruptedException {
    DequeueRequest request =
        new DequeueRequest(SoakDocuments.REMOTE, actor, LEASE, 3, Duration.ofSeconds(1));
    List<ClaimedTask> claimed = read(() -> client.stages().dequeue(request));
    if (claimed == null) {
      run.linger(300);
      return;
    }
    for (ClaimedTask task : claimed) {
      run.linger(random.nextInt(20) == 0 ? 7_000 : random.nextInt(250));
      if (random.nextInt(3) == 0) {
        read(() -> beat(task));
      }
      answer(task);
    }
  }

  /** The answer of a lost claim is an error, and none that we wait for. */
  private boolean beat(ClaimedTask task) {
    ask(
        "heartbeat",
        subject(task),
        task.token(),
        () -> client.tasks().heartbeat(task.id(), task.token(), true));
    return true;
  }

  private void answer(ClaimedTask task) throws InterruptedException {
    TaskStatusUpdate update = TaskStatusUpdate.completed(result(task));
    for (int i = 0; i < 5; i++) {
      Answer answer =
          ask(
              "complete",
              subject(task),
              task.token(),
              () -> client.tasks().updateStatus(task.id(), task.token(), update));
      if (answer != Answer.UNKNOWN) {
        return;
      }
      run.linger(400);
    }
  }
}
