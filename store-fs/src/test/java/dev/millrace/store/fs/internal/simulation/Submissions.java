package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.random.RandomJobSpecs;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.util.List;
import java.util.function.Supplier;

/** Submits jobs: new ones, some under given ids and repeatedly, and ended ones again. */
final class Submissions implements Runnable {
  private final World world;
  private final JobSubmitter submitter;
  private final Supplier<JobId> ids;

  /**
   * @param ids for jobs whose id the caller chooses
   */
  Submissions(World world, JobSubmitter submitter, Supplier<JobId> ids) {
    this.world = world;
    this.submitter = submitter;
    this.ids = ids;
  }

  @Override
  public void run() {
    switch (world.random.nextInt(6)) {
      case 0 -> submitAs();
      case 1 -> retry();
      default -> submit();
    }
  }

  private JobSpec spec() {
    List<JobId> known = world.history.jobs().stream().map(job -> job.id).limit(5).toList();
    return switch (world.random.nextInt(6)) {
      case 0 -> TestJobSpecs.plain(world.history.unique("prompt"));
      case 1 -> TestJobSpecs.open(TestJobSpecs.stage("a", world.history.unique("input")));
      case 2 ->
          TestJobSpecs.job(
              TestJobSpecs.stage("a", "1", "2", "3"), TestJobSpecs.each("b", "again {{result}}"));
      default -> RandomJobSpecs.next(world.random, known);
    };
  }

  private void submit() {
    JobSpec spec = spec();
    world.history.unanswered.add(spec);
    world
        .ask(() -> submitter.submit(spec))
        .ifPresent(
            id -> {
              world.history.submitted(id, spec);
              world.faults.acknowledged(world.history.job(id));
            });
  }

  private void submitAs() {
    JobHistory repeated = world.oneIn(3) ? world.history.any(world.random, job -> job.named) : null;
    JobHistory job = repeated == null ? world.history.job(ids.get()) : repeated;
    if (repeated == null) {
      job.named = true;
      job.spec = spec();
    }
    JobSpec spec = job.spec;
    boolean known = job.certain;
    world
        .ask(() -> submitter.submit(spec, job.id))
        .ifPresent(
            fresh -> {
              assertThat(fresh && known).as("%s is new twice", job).isFalse();
              job.certain = true;
              world.faults.acknowledged(job);
            });
  }

  private void retry() {
    JobHistory ended = world.history.any(world.random, job -> job.end != null || world.oneIn(5));
    if (ended == null) {
      return;
    }
    RetryRequest request =
        world.oneIn(4) ? RetryRequest.fromStart(ended.id) : RetryRequest.of(ended.id);
    JobHistory named = world.oneIn(3) ? world.history.job(ids.get()) : null;
    world
        .ask(() -> submitter.retry(named == null ? request : request.as(named.id)))
        .ifPresent(result -> retried(result));
  }

  private void retried(RetryResult result) {
    if (result.outcome().isDone()) {
      JobHistory job = world.history.job(result.id());
      job.certain = true;
      world.faults.acknowledged(job);
    }
  }
}
