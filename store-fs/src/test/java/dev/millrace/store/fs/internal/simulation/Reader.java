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
  private final World world;
  private final JobStore store;

  Reader(World world) {
    this.world = world;
    this.store = world.store;
  }

  @Override
  public void run() {
    JobHistory job = world.history.any(world.random, one -> one.certain && !one.gone);
    if (job == null || world.oneIn(5)) {
      readAll();
      return;
    }
    switch (world.random.nextInt(8)) {
      case 0, 1 -> find(job);
      case 2, 3 -> events(job);
      case 4, 5 -> tasks(job);
      case 6 -> world.ask(() -> store.spec(job.id));
      default -> readMore(job);
    }
  }

  private void find(JobHistory job) {
    Optional<JobView> view = world.ask(() -> store.find(job.id)).flatMap(it -> it);
    view.map(JobView::state)
        .filter(JobState::isFinal)
        .ifPresent(
            end -> {
              job.end = end;
              world.faults.acknowledged();
            });
  }

  private void events(JobHistory job) {
    List<LogEntry> log =
        world.ask(() -> store.events(job.id, 0, Integer.MAX_VALUE)).orElse(List.of());
    if (log.size() > job.seen.size()) {
      job.seen = log;
      world.faults.acknowledged();
    }
  }

  private void tasks(JobHistory job) {
    int stage = 1 + world.random.nextInt(2);
    List<TaskView> tasks =
        world.oneIn(3)
            ? world.ask(() -> store.task(job.id, stage, 1)).flatMap(it -> it).stream().toList()
            : world.ask(() -> store.tasks(job.id, stage, 1, 100)).orElse(List.of());
    for (TaskView task : tasks) {
      if (task.result() != null) {
        job.results.put(stage + "/" + task.task(), task.result().text());
      }
    }
    world.faults.acknowledged();
  }

  private void readMore(JobHistory job) {
    switch (world.random.nextInt(5)) {
      case 0 -> world.ask(() -> store.state(job.id));
      case 1 -> world.ask(() -> store.outputSoFar(job.id, 1, 1, 0));
      case 2 -> world.ask(() -> store.partialOutput(job.id, 1, 1));
      case 3 -> world.ask(() -> store.queuePosition(job.id));
      default ->
          world.run(
              () -> {
                try {
                  store.awaitChange(job.id, Duration.ofMillis(world.random.nextInt(1, 50)));
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
    }
  }

  private void readAll() {
    switch (world.random.nextInt(5)) {
      case 0 -> world.ask(store::counts);
      case 1 -> world.ask(store::queueStats);
      case 2 -> world.ask(store::statusCounts);
      case 3 -> world.ask(() -> store.list(JobReader.Query.all().newest(5)));
      default -> world.ask(() -> store.list(JobReader.Query.waitingForApproval()));
    }
  }
}
