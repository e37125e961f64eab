package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads jobs. What is shown of a job's log and results is durable. */
final class Reader implements Runnable {
  private final ActorContext context;
  private final JobStore store;

  Reader(ActorContext context) {
    this.context = context;
    this.store = context.store;
  }

  @Override
  public void run() {
    JobHistory job = context.history.any(context.random, one -> one.certain && !one.gone);
    if (job == null || context.oneIn(5)) {
      readAll();
      return;
    }
    switch (context.random.nextInt(8)) {
      case 0, 1 -> find(job);
      case 2, 3 -> events(job);
      case 4, 5 -> tasks(job);
      case 6 -> context.ask(() -> store.spec(job.id));
      default -> readMore(job);
    }
  }

  private void find(JobHistory job) {
    Optional<JobView> view = context.ask(() -> store.find(job.id)).flatMap(it -> it);
    view.map(JobView::state)
        .filter(JobState::isFinal)
        .ifPresent(
            end -> {
              job.end = end;
              context.faults.acknowledged();
            });
  }

  private void events(JobHistory job) {
    List<LogEntry> log =
        context.ask(() -> store.events(job.id, 0, Integer.MAX_VALUE)).orElse(List.of());
    if (log.size() > job.seen.size()) {
      job.seen = log;
      context.faults.acknowledged();
    }
  }

  private void tasks(JobHistory job) {
    int stage = 1 + context.random.nextInt(2);
    List<TaskView> tasks =
        context.oneIn(3)
            ? context.ask(() -> store.task(job.id, stage, 1)).flatMap(it -> it).stream().toList()
            : context.ask(() -> store.tasks(job.id, stage, 1, 100)).orElse(List.of());
    for (TaskView task : tasks) {
      if (task.result() != null) {
        job.results.put(stage + "/" + task.task(), task.result().text());
      }
    }
    context.faults.acknowledged();
  }

  private void readMore(JobHistory job) {
    switch (context.random.nextInt(5)) {
      case 0 -> context.ask(() -> store.state(job.id));
      case 1 -> context.ask(() -> store.outputSoFar(job.id, 1, 1, 0));
      case 2 -> context.ask(() -> store.partialOutput(job.id, 1, 1));
      case 3 -> context.ask(() -> store.queuePosition(job.id));
      default ->
          context.run(
              () -> {
                try {
                  store.awaitChange(job.id, Duration.ofMillis(context.random.nextInt(1, 50)));
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
    }
  }

  private void readAll() {
    switch (context.random.nextInt(5)) {
      case 0 -> context.ask(store::counts);
      case 1 -> context.ask(store::queueStats);
      case 2 -> {
        context.ask(store::statusCounts);
        context.ask(store::health);
        context.ask(() -> store.leaderLease("test").isHeld());
        context.ask(store::isShared);
        context.ask(store::kind);
        context.ask(() -> store.queueHead(3));
        context.ask(store::unreadableJobs);
      }
      case 3 -> context.ask(() -> store.list(JobReader.Query.all().newest(5)));
      default -> context.ask(() -> store.list(JobReader.Query.waitingForApproval()));
    }
  }
}
