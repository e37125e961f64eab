package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.AdoptionRules;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.store.JobSizeLimits;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.time.Moment;
import dev.millrace.store.postgres.internal.jobs.PostgresJob.At;
import dev.millrace.store.postgres.internal.read.JobSnapshot;
import dev.millrace.store.postgres.internal.read.PostgresReader;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Submits jobs. What follows from a submission at once is in the log when it is visible. */
public final class PostgresSubmitter implements JobSubmitter {
  private final PostgresRepository repository;
  private final PostgresReader reader;
  private final Supplier<JobId> ids;
  private final JobInserter inserter;

  public PostgresSubmitter(
      PostgresRepository repository, PostgresReader reader, Supplier<JobId> ids) {
    this.repository = repository;
    this.reader = reader;
    this.ids = ids;
    this.inserter = new JobInserter(repository.database());
  }

  @Override
  public JobId submit(JobSpec spec) {
    JobSizeLimits.requireJob(spec);
    JobId id = ids.get();
    insert(newJob(id, spec, Map.of(), 0), Map.of(), null, null);
    return id;
  }

  @Override
  public boolean submit(JobSpec spec, JobId id) {
    JobSizeLimits.requireJob(spec);
    return insert(newJob(id, spec, Map.of(), 0), Map.of(), null, null) != null;
  }

  @Override
  public RetryResult retry(RetryRequest request) {
    try {
      return retryOnce(request);
    } catch (JobInserter.EndedJobGoneException e) {
      return RetryResult.rejected(AdoptionRules.allowsRetry(request.job(), null));
    }
  }

  private RetryResult retryOnce(RetryRequest request) {
    JobSnapshot ended = reader.snapshot(request.job()).orElse(null);
    Outcome allowed =
        AdoptionRules.allowsRetry(request.job(), ended == null ? null : ended.fold().state());
    if (ended == null || !allowed.isDone()) {
      return RetryResult.rejected(allowed);
    }
    JobSpec spec = AdoptionRules.again(request, ended.row().id(), reader.spec(ended));
    JobSizeLimits.requireJob(spec);
    boolean adopts =
        !request.fromStart() && AdoptionRules.adopts(ended.fold().state(), ended.fold());
    Map<Long, Long> copies = new HashMap<>();
    JobId id = request.id() == null ? ids.get() : request.id();
    AdoptedResults adopted = adopts ? new AdoptedResults(ended, repository.rows(), copies) : null;
    PostgresJob job = newJob(id, spec, copies, ended.row().key());
    JobView view = insert(job, copies, adopted, request);
    return view == null
        ? RetryResult.existing(reader.find(id).orElseThrow())
        : RetryResult.created(view);
  }

  /** The job with the texts of its tasks, all as they will be read back. */
  private PostgresJob newJob(JobId id, JobSpec given, Map<Long, Long> copies, long source) {
    Moment now = repository.now();
    JobSpec spec =
        JobDocument.read(
                Json.object(Json.write(JobDocument.write(given, true))), JobDocument.INLINE)
            .withSubmittedBy(given.submittedBy());
    JobRow row = JobRow.submitted(id, spec, now.wall(), JobChange.newVersion());
    LogEntry submitted = new LogEntry(1, now.wall(), new Fact.Submitted());
    PostgresJob job =
        new PostgresJob(
            row,
            entries -> entries.accept(submitted),
            repository.timeline(),
            repository.texts().withCopies(copies, source),
            repository.incarnation());
    for (int stage = 1; stage <= spec.stages().size(); stage++) {
      List<TaskSpec> tasks = spec.stages().get(stage - 1).tasks();
      for (int task = 1; task <= tasks.size(); task++) {
        TaskRow text = new TaskRow(stage, task, tasks.get(task - 1), null);
        job.unwritten().put(new At(stage, task), text);
      }
    }
    return job;
  }

  /** Inserts a new job; null if there is one with this id. */
  private @Nullable JobView insert(
      PostgresJob job,
      Map<Long, Long> copies,
      @Nullable AdoptedResults adopted,
      @Nullable RetryRequest retry) {
    Moment now = new Moment(job.row().createdAt(), repository.now().steady());
    JobUpdate update = new JobUpdate(job.fold(), now, job);
    if (retry != null) {
      AdoptionRules.note(update, retry);
    }
    if (adopted != null) {
      AdoptionRules.adopt(update, adopted);
    }
    JobView view = job.view();
    update.runCascade();
    List<LogEntry> log = new ArrayList<>();
    log.add(new LogEntry(1, job.row().createdAt(), new Fact.Submitted()));
    log.addAll(update.entries());
    job.takeCountChanges();
    OptionalLong incarnation =
        inserter.insert(job, log, copies, adopted == null ? 0 : adopted.key(), now.steady());
    if (incarnation.isEmpty()) {
      repository.flushOthers(); // the one that exists may be of another server, just now
      return null;
    }
    repository.inserted(job, incarnation.getAsLong());
    return view;
  }
}
