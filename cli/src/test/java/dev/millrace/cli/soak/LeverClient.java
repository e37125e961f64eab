package dev.millrace.cli.soak;

import dev.millrace.api.ApiJob;
import dev.millrace.api.NewTask;
import dev.millrace.cli.soak.SoakHistory.Answer;
import dev.millrace.client.RetryPolicy;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import java.util.List;
import java.util.UUID;

/** Changes jobs of others: every lever of the API, also where it is refused. */
final class LeverClient extends SoakClient {
  private int marks;

  LeverClient(SoakRun run, String actor) {
    super(run, actor, RetryPolicy.NONE); // a retry would guess whose change it finds
  }

  @Override
  void step() throws InterruptedException {
    run.linger(50 + random.nextInt(500));
    run.jobs().any(random).ifPresent(this::pull);
  }

  private void pull(SoakJobs.Known job) {
    String mark = actor + "-mark-" + ++marks;
    UUID id = job.uuid();
    switch (random.nextInt(18)) {
      case 0, 1, 2 ->
          ask(
              "describe",
              job.id(),
              mark,
              () -> client.jobs().updateUserMetadata(id, JsonObject.create().put("mark", mark)));
      case 3, 4 -> {
        Priority priority = Priority.values()[random.nextInt(Priority.values().length)];
        ask(
            "prioritize",
            job.id(),
            priority.name(),
            () -> client.jobs().updatePriority(id, priority));
      }
      case 5, 6 -> ask("pause", job.id(), "", () -> client.jobs().pause(id));
      case 7, 8, 9 -> ask("resume", job.id(), "", () -> client.jobs().resume(id));
      case 10 -> ask("abort", job.id(), "", () -> client.jobs().abort(id));
      case 11, 12, 13 -> approve(job);
      case 14 -> retry(job, mark);
      default -> addTask(job, mark);
    }
  }

  /** That of a stage which waits for nobody succeeds, and changes nothing. */
  private void approve(SoakJobs.Known job) {
    if (job.kind() == SoakDocuments.Kind.GATED) {
      ask("approve", job.id(), "", () -> client.stages().approve(stage(job, 2)));
    }
  }

  /** Only a job that has ended can be retried; the new one keeps what was completed. */
  private void retry(SoakJobs.Known job, String key) {
    ask(
        "retry",
        job.id(),
        key,
        () -> {
          ApiJob made = client.jobs().retry(job.uuid(), false, key).job();
          String id = made.ownId().value();
          run.history().add(actor, "submit", id, "", Answer.ACKNOWLEDGED);
          run.jobs().add(new SoakJobs.Known(made.id(), id, job.kind()));
        });
  }

  private void addTask(SoakJobs.Known job, String mark) {
    if (job.kind() == SoakDocuments.Kind.OPEN) {
      NewTask task = NewTask.of(JsonObject.create().put("input", mark));
      ask("tasks", job.id(), mark, () -> client.stages().addTasks(stage(job, 1), List.of(task)));
    }
  }

  private static UUID stage(SoakJobs.Known job, int stage) {
    return new EntityId(new JobId(job.id()), stage, 0).uuid();
  }
}
