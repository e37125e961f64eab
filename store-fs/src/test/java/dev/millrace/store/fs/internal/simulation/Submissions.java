package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.random.RandomJobSpecs;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.util.List;
import java.util.function.Supplier;

/** Submits jobs: new ones, some under given ids and repeatedly, and ended ones again. */
final class Submissions implements Runnable {
  private final ActorContext context;
  private final JobSubmitter submitter;
  private final Supplier<JobId> ids;

  /**
   * @param ids for jobs whose id the caller chooses
   */
  Submissions(ActorContext context, JobSubmitter submitter, Supplier<JobId> ids) {
    this.context = context;
    this.submitter = submitter;
    this.ids = ids;
  }

  @Override
  public void run() {
    switch (context.random.nextInt(7)) {
      case 0 -> submitAs();
      case 1 -> retry();
      case 2 -> submitWithNote();
      default -> submit();
    }
  }

  private JobSpec spec() {
    List<JobId> known = context.history.jobs().stream().map(job -> job.id).limit(5).toList();
    return switch (context.random.nextInt(6)) {
      case 0 -> TestJobSpecs.plain(context.history.unique("prompt"));
      case 1 -> TestJobSpecs.open(TestJobSpecs.stage("a", context.history.unique("input")));
      case 2 ->
          TestJobSpecs.job(
              TestJobSpecs.stage("a", "1", "2", "3"), TestJobSpecs.each("b", "again {{result}}"));
      default -> RandomJobSpecs.next(context.random, known);
    };
  }

  private void submit() {
    JobSpec spec = spec();
    context.history.unanswered.add(spec);
    context
        .ask(() -> submitter.submit(spec))
        .ifPresent(
            id -> {
              context.history.submitted(id, spec);
              context.faults.acknowledged(context.history.job(id));
            });
  }

  private void submitAs() {
    JobHistory repeated =
        context.oneIn(3) ? context.history.any(context.random, job -> job.named) : null;
    JobHistory job = repeated == null ? context.history.job(ids.get()) : repeated;
    if (repeated == null) {
      job.named = true;
      job.spec = spec();
    }
    JobSpec spec = job.spec;
    boolean known = job.certain;
    context
        .ask(() -> submitter.submit(spec, job.id))
        .ifPresent(
            fresh -> {
              assertThat(fresh && known).as("%s is new twice", job).isFalse();
              job.certain = true;
              context.faults.acknowledged(job);
            });
  }

  /** As a request with an idempotency key does. Only the owner takes those. */
  private void submitWithNote() {
    if (!(submitter instanceof JobStore store)) {
      return;
    }
    JobId id = ids.get();
    if (context.run(
        () ->
            store.writeNoteAhead(
                HistoryCheck.AHEAD, id.value(), null, HistoryCheck.noteAhead(id)))) {
      JobHistory job = context.history.job(id);
      job.noted = true;
      job.spec = spec();
      JobSpec spec = job.spec;
      if (context.ask(() -> submitter.submit(spec, id)).isPresent()) {
        job.certain = true;
        context.faults.acknowledged(job);
      }
    }
  }

  private void retry() {
    JobHistory ended =
        context.history.any(context.random, job -> job.end != null || context.oneIn(5));
    if (ended == null) {
      return;
    }
    RetryRequest request =
        context.oneIn(4) ? RetryRequest.fromStart(ended.id) : RetryRequest.of(ended.id);
    JobHistory named = context.oneIn(3) ? context.history.job(ids.get()) : null;
    context
        .ask(() -> submitter.retry(named == null ? request : request.as(named.id)))
        .ifPresent(result -> retried(result));
  }

  private void retried(RetryResult result) {
    if (result.outcome().isDone()) {
      JobHistory job = context.history.job(result.id());
      job.certain = true;
      context.faults.acknowledged(job);
    }
  }
}
