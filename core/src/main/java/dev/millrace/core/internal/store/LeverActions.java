package dev.millrace.core.internal.store;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.AdditionRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.LeverRules;
import dev.millrace.core.internal.rules.LogLimits;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.LeverJson;
import dev.millrace.core.store.Outcome;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Carries out a user's levers. A request that was carried out before is recognized by its id.
 * Thread-safe.
 */
final class LeverActions<J extends StoredJob> {
  /** Entries of a log that are read at once. */
  private static final int PAGE = 1_000;

  private final JobRepository<J> repository;
  private final JobUpdater<J> updater;
  private final JobIdGenerator operations = JobIdGenerator.forThisProcess();

  LeverActions(JobRepository<J> repository, JobUpdater<J> updater) {
    this.repository = repository;
    this.updater = updater;
  }

  Outcome apply(JobId id, Lever lever, Cause cause) {
    if (lever instanceof Lever.Delete) {
      return delete(id);
    }
    Lever checked = check(lever);
    Cause named = named(lever, LogLimits.fit(cause, LeverRules.jobEvent(lever) != null));
    return updater
        .step(id, (job, update) -> apply(job, update, checked, named))
        .orElseGet(() -> missing(id, lever));
  }

  /** Refuses what no job can take; the rest is as it will be read back. */
  private static Lever check(Lever lever) {
    switch (lever) {
      case Lever.AddStage(StageSpec asked) -> {
        if (asked.tasks().stream().anyMatch(TaskSpec::template)) {
          throw new IllegalArgumentException("a task that is added later cannot be a template");
        }
        JobSizeLimits.requireTasks(asked.tasks());
        return new Lever.AddStage(
            JobDocument.readStage(Json.object(Json.write(JobDocument.write(asked))), 0)
                .withTasks(asked.tasks()));
      }
      case Lever.AddTasks(int _, List<TaskSpec> tasks) -> JobSizeLimits.requireTasks(tasks);
      case Lever.Describe describe -> Json.requireDepth(describe.metadata(), "metadata");
      default -> {}
    }
    return lever;
  }

  /** A store may make a change of the job's own state in two steps that must know each other. */
  private Cause named(Lever lever, Cause cause) {
    return LeverRules.jobEvent(lever) != null && cause.op() == null
        ? cause.withOp(operations.next().value())
        : cause;
  }

  private Outcome apply(J job, JobUpdate update, Lever lever, Cause cause) throws IOException {
    if (cause.op() != null && job.fold().hasRequest(cause.op())) {
      repository.awaitDurable(job.commit()); // the first request may still wait for it
      return before(job, lever, cause.op());
    }
    JobState ended = job.endedElsewhere();
    if (ended != null && !(lever instanceof Lever.Describe)) {
      JobEvent event = LeverRules.jobEvent(lever);
      return event == null
          ? new Outcome.Refused(Outcome.Reason.JOB_ENDED, "the job is " + ended)
          : new Outcome.Refused(JobTransitions.TABLE.refusal(ended, event));
    }
    Outcome kept = keepTasks(job, lever);
    return kept.isDone() ? LeverRules.apply(update, lever, job.header(), cause) : kept;
  }

  /** Keeps the texts of what is added, before the entry that counts them is written. */
  private Outcome keepTasks(J job, Lever lever) throws IOException {
    JobFold fold = job.fold();
    return switch (lever) {
      case Lever.AddStage(StageSpec spec) -> {
        Outcome allowed = AdditionRules.allowsStage(fold, spec);
        yield allowed.isDone()
            ? repository.keepTasks(job, fold.stageCount() + 1, spec.type(), 0, spec.tasks())
            : allowed;
      }
      case Lever.AddTasks(int number, List<TaskSpec> tasks) -> {
        Outcome allowed = AdditionRules.allowsTasks(fold, number, tasks);
        if (!allowed.isDone()) {
          yield allowed;
        }
        StageFold stage = fold.stage(number);
        yield repository.keepTasks(job, number, stage.plan().type(), stage.size(), tasks);
      }
      default -> Outcome.DONE;
    };
  }

  /** The outcome of a request that was carried out before. */
  private Outcome before(J job, Lever lever, String op) {
    if (!(lever instanceof Lever.AddStage) && !(lever instanceof Lever.AddTasks)) {
      return Outcome.DONE;
    }
    JobFold fold = job.fold();
    int[] sizes = new int[fold.stageCount() + 1];
    for (int stage = 1; stage <= fold.plan().stages().size(); stage++) {
      sizes[stage] = fold.plan().stages().get(stage - 1).tasks();
    }
    JobReader reader = repository.reader();
    for (List<LogEntry> page = reader.events(job.id(), 0, PAGE);
        !page.isEmpty();
        page = reader.events(job.id(), page.getLast().number(), PAGE)) {
      for (LogEntry entry : page) {
        int first = firstAdded(entry.fact(), op, sizes);
        if (first > 0) {
          return new Outcome.Done(first);
        }
      }
    }
    throw new IllegalStateException("job " + job.id() + " knows " + op + ", its log does not");
  }

  /**
   * The number of the first thing that the request added, if the fact is of it; else 0.
   *
   * @param sizes how many tasks each stage had before; counts those of the fact
   */
  private static int firstAdded(Fact fact, String op, int[] sizes) {
    switch (fact) {
      case Fact.StageAdded(int stage, StageSpec _, Cause cause) -> {
        return op.equals(cause.op()) ? stage : 0;
      }
      case Fact.TasksAdded(int stage, int tasks, int _, Cause cause) -> {
        sizes[stage] += tasks;
        return op.equals(cause.op()) ? sizes[stage] - tasks + 1 : 0;
      }
      default -> {
        return 0;
      }
    }
  }

  private static Outcome missing(JobId id, Lever lever) {
    boolean adds = lever instanceof Lever.AddStage || lever instanceof Lever.AddTasks;
    return new Outcome.Missing("no job " + id + " to " + (adds ? "add to" : LeverJson.name(lever)));
  }

  private Outcome delete(JobId id) {
    repository.requireIntact();
    Optional<JobState> state = state(id);
    if (state.isPresent() && !state.get().isFinal()) {
      return new Outcome.Refused(
          Outcome.Reason.JOB_NOT_ENDED, "the job is " + state.get() + "; abort it first");
    }
    return remove(List.of(id)) == 1 ? Outcome.DONE : missing(id, new Lever.Delete());
  }

  /** The job's state. One in memory is asked itself: it may be just ending. */
  private Optional<JobState> state(JobId id) {
    return updater.jobs().contains(id)
        ? updater.step(id, (job, _) -> job.fold().state())
        : repository.reader().state(id);
  }

  int prune(Instant before, Set<JobState> states) {
    repository.requireIntact();
    Collection<JobId> ended = repository.endedBefore(before, states);
    // One in memory may be just ending: a step waits until that is written.
    ended.stream().filter(updater.jobs()::contains).forEach(this::state);
    return remove(ended);
  }

  private int remove(Collection<JobId> ids) {
    List<JobId> removed = new ArrayList<>();
    try {
      repository.remove(
          ids,
          id -> {
            removed.add(id);
            updater.removed(id);
          });
    } finally {
      removed.forEach(updater.notifier()::changed); // last: a watcher may close the store
    }
    return removed.size();
  }
}
