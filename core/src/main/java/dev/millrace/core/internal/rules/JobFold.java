package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.job.Adoption;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.time.LogTimes;
import dev.millrace.core.time.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a job, as the entries of its log add up to it. States of jobs, stages and tasks
 * change only here, each by a row of a transition table. Not thread-safe.
 */
public final class JobFold {
  /** What the id of a request takes in memory. */
  private static final long REQUEST_BYTES = 200;

  private final JobPlan plan;
  private final TransitionListener listener;
  private final LogTimes times;
  private final List<StageFold> stages = new ArrayList<>();
  private final RecentRequests requests = new RecentRequests();
  private final LogUsage usage;
  private final SharedTexts texts;
  private int version = LogEntryJson.VERSION;
  private JobState state = JobState.CREATED;
  private Moment openSince;
  private @Nullable Moment startedAt;
  private @Nullable Moment completedAt;
  private long lastNumber;
  private Instant lastAt;
  private int progress;
  private long addedBytes;
  private @Nullable Priority priority;
  private @Nullable JsonBytes metadata;

  private JobFold(
      JobPlan plan,
      TransitionListener listener,
      LogTimes times,
      Moment created,
      LogUsage usage,
      SharedTexts texts) {
    this.plan = plan;
    this.listener = listener;
    this.times = times;
    this.usage = usage;
    this.texts = texts;
    this.openSince = created;
    this.lastAt = plan.createdAt();
  }

  /** A job before its first event. */
  public static JobFold created(JobPlan plan, TransitionListener listener) {
    return created(plan, listener, LogTimes.AS_LOGGED);
  }

  /**
   * As {@link #created(JobPlan, TransitionListener)}, for a process that decides what is due.
   *
   * @param times when the entries that are read were written
   */
  public static JobFold created(JobPlan plan, TransitionListener listener, LogTimes times) {
    Moment at = new Moment(plan.createdAt(), times.submitted(plan.createdAt()));
    JobFold fold = new JobFold(plan, listener, times, at, new LogUsage(), new SharedTexts());
    for (int i = 0; i < plan.stages().size(); i++) {
      fold.stages.add(new StageFold(i + 1, plan.stages().get(i), at, listener));
    }
    return fold;
  }

  /** An independent copy that reports its transitions to another listener. */
  public JobFold copy(TransitionListener newListener) {
    JobFold copy =
        new JobFold(
            plan, newListener, times, openSince, new LogUsage(usage), new SharedTexts(texts));
    copy.addedBytes = addedBytes;
    stages.forEach(stage -> copy.stages.add(stage.copy(newListener)));
    copy.requests.addAll(requests);
    copy.version = version;
    copy.state = state;
    copy.startedAt = startedAt;
    copy.completedAt = completedAt;
    copy.lastNumber = lastNumber;
    copy.lastAt = lastAt;
    copy.progress = progress;
    copy.priority = priority;
    copy.metadata = metadata;
    return copy;
  }

  /** Applies the next entry of a log that is read. */
  public void apply(LogEntry entry) {
    apply(
        entry,
        switch (entry.fact()) {
          case Fact.Submitted _ -> times.submitted(entry.at());
          case Fact.TaskChanged(_, _, TaskEvent event, _) when event == TaskEvent.CLAIM ->
              claimed(entry.at());
          default -> times.written(entry.at());
        });
  }

  /**
   * How long an attempt ran under an earlier process, only the wall clock could tell, and it may
   * have been set since. As with leases, the attempt has its whole time again.
   */
  private Instant claimed(Instant at) {
    Instant steady = times.written(at);
    return steady.isBefore(times.opened()) ? times.opened() : steady;
  }

  /** Applies an entry that is written at that steady time. */
  void apply(LogEntry entry, Instant steady) {
    if (entry.number() != lastNumber + 1) {
      throw new IllegalArgumentException(
          "entry " + entry.number() + " follows entry " + lastNumber);
    }
    Moment at = new Moment(entry.at(), steady);
    switch (entry.fact()) {
      case Fact.Submitted(int of) -> {
        version = of;
        submitted(at);
      }
      case Fact.JobChanged(JobEvent event, Cause cause) -> applyJob(event, cause, at);
      case Fact.StageChanged fact -> applyStage(fact, at);
      case Fact.TaskChanged fact -> applyTask(fact, entry, at);
      case Fact.TaskProgressed(int stage, int task) ->
          stage(stage).set(task, stage(stage).task(task).progressed(progress));
      case Fact.TermsFrozen(int stage, int task, JsonObject _) ->
          stage(stage).set(task, stage(stage).task(task).frozen(entry.number()));
      case Fact.StageAdded(int stage, StageSpec spec, Cause cause) -> {
        requests.add(cause);
        addStage(stage, spec, at);
      }
      case Fact.TasksAdded(int stage, int tasks, int attempts, Cause cause) -> {
        requests.add(cause);
        stage(stage).add(tasks, attempts, at);
      }
      case Fact.MetadataReplaced(int stage, int task, JsonObject by, Cause cause) -> {
        requests.add(cause);
        describe(stage, task, by, entry.at());
      }
      case Fact.Prioritized(Priority now, Cause cause) -> {
        requests.add(cause);
        priority = now;
      }
      case Fact.WorkerLogLine _ -> {}
    }
    usage.add(entry.fact());
    lastNumber = entry.number();
    lastAt = entry.at();
  }

  private void addStage(int number, StageSpec spec, Moment at) {
    if (number != stages.size() + 1) {
      throw new IllegalArgumentException("stage " + number + " follows stage " + stages.size());
    }
    stages.add(new StageFold(number, JobPlan.StagePlan.of(spec), at, listener));
    addedBytes += JsonSize.of(spec.data()).memory() + JsonSize.of(spec.metadata()).memory();
  }

  private void describe(int stage, int task, JsonObject by, Instant at) {
    if (stage == 0) {
      metadata = JsonBytes.of(by);
    } else if (task == 0) {
      stage(stage).describe(by);
    } else {
      stage(stage).set(task, stage(stage).task(task).described(by, at));
    }
  }

  private void submitted(Moment at) {
    move(plan.held() ? JobEvent.PAUSE : JobEvent.ENQUEUE, at);
    for (StageFold stage : stages) {
      if (stage.state() != StageState.CREATED) {
        continue; // a user held it while the job was being assembled
      }
      if (stage.plan().gate()) {
        stage.move(StageEvent.HOLD, at);
      } else if (stage.number() == 1) {
        stage.move(StageEvent.OPEN, at);
      }
    }
  }

  private void applyJob(JobEvent event, Cause cause, Moment at) {
    move(event, at);
    requests.addOfJob(cause);
    if (state == JobState.ABORTED) {
      stages.forEach(stage -> stage.abort(at));
    } else if (state == JobState.FAILED) {
      stages.stream()
          .filter(stage -> version == 1 || stage.hasOpened())
          .forEach(stage -> stage.abort(at));
    }
  }

  private void move(JobEvent event, Moment at) {
    JobState from = state;
    state = JobTransitions.TABLE.move(from, event);
    if (state == JobState.PENDING) {
      openSince = at;
    }
    if (state == JobState.IN_PROGRESS && startedAt == null) {
      startedAt = at;
    }
    if (state.isFinal()) {
      completedAt = at;
    }
    listener.onTransition(
        new TransitionListener.Transition(JobTransitions.TABLE, 0, 0, from, event, state));
  }

  private void applyStage(Fact.StageChanged fact, Moment at) {
    StageFold stage = stage(fact.stage());
    stage.move(fact.event(), at);
    requests.add(fact.cause());
    if (fact.event() == StageEvent.APPROVE) {
      stage.approved(fact.cause());
    }
    if (fact.opening() != null) {
      stage.resolve(fact.opening(), at);
    }
    if (fact.event() == StageEvent.FAIL) {
      stage.fail(fact.cause().comment());
      if (version > 1) {
        stage.abort(at); // its tasks: the job may be paused, and fail only when it is resumed
      }
    }
  }

  private void applyTask(Fact.TaskChanged fact, LogEntry entry, Moment at) {
    StageFold stage = stage(fact.stage());
    TaskFold task = stage.move(fact.task(), fact.event(), at);
    stage.set(
        fact.task(),
        switch (fact.detail()) {
          case Detail.None() -> task;
          case Detail.Claimed(long epoch, String worker, Duration lease, boolean tokenless) ->
              task.claimed(
                  new TaskFold.LoggedClaim(
                      new FencingToken(epoch, entry.number()), texts.of(worker), lease, tokenless));
          case Detail.Completed(long offset, int length) -> {
            progress++;
            yield task.delivered(offset, length);
          }
          case Detail.Adopted(Adoption from, long offset, int length) -> {
            progress++;
            yield task.adopted(from, new TaskFold.StoredResult(offset, length));
          }
          case Detail.Retrying(String error, Instant notBefore) ->
              task.failed(texts.of(error), at.plus(Duration.between(at.wall(), notBefore)));
          case Detail.Ended(String error) ->
              fact.event() == TaskEvent.FAIL
                  ? task.failed(texts.of(error), null)
                  : task.ended(texts.of(error));
          case Detail.Released(String _, boolean crash) when crash -> task.recovered(progress);
          case Detail.Released(String reason, boolean _) ->
              ClaimRules.isLoss(reason) ? task.excused(progress) : task;
        });
  }

  public JobPlan plan() {
    return plan;
  }

  /** The version of its log, by which a failed job treats its later stages. */
  int version() {
    return version;
  }

  public JobState state() {
    return state;
  }

  public List<StageFold> stages() {
    return Collections.unmodifiableList(stages);
  }

  public int stageCount() {
    return stages.size();
  }

  /** Stage {@code number}, from 1. */
  public StageFold stage(int number) {
    return stages.get(number - 1);
  }

  public boolean hasStage(int number) {
    return number >= 1 && number <= stages.size();
  }

  /** When its tasks last became claimable, as far as the job's state decides. */
  public Moment openSince() {
    return openSince;
  }

  public @Nullable Instant startedAt() {
    return startedAt == null ? null : startedAt.wall();
  }

  public @Nullable Instant completedAt() {
    return completedAt == null ? null : completedAt.wall();
  }

  /** When it started, for measuring; null before. */
  public @Nullable Moment started() {
    return startedAt;
  }

  /** When it ended, for measuring; null before. */
  public @Nullable Moment completed() {
    return completedAt;
  }

  /** The number of its last entry; 0 before the first. */
  public long lastNumber() {
    return lastNumber;
  }

  public Instant lastAt() {
    return lastAt;
  }

  /** How many tasks have completed. Recoveries before the last completion no longer count. */
  public int completedTasks() {
    return progress;
  }

  /** The priority that a user set since the submission; null if none did. */
  public @Nullable Priority priority() {
    return priority;
  }

  /** The metadata that a user set since the submission; null if none did. */
  public @Nullable JsonObject metadata() {
    return JsonBytes.read(metadata);
  }

  /** How many tasks it has, with those that will be made of results of the stage before. */
  long plannedTasks() {
    long tasks = 0;
    long before = 0;
    for (StageFold stage : stages) {
      before = stage.plan().spec().each() == null ? stage.size() : Math.max(stage.size(), before);
      tasks += before;
    }
    return tasks;
  }

  /** Whether a user's request with that id is in the log already, among the recent ones. */
  public boolean hasRequest(String op) {
    return requests.contains(op);
  }

  /** How much users and workers have added to its log. */
  LogUsage usage() {
    return usage;
  }

  /** About how many bytes of memory it takes, beside what it was submitted with. */
  public long size() {
    return stages.stream().mapToLong(StageFold::memory).sum()
        + addedBytes
        + usage.bytes() // new metadata is kept as its text
        + 2 * texts.characters()
        + REQUEST_BYTES * requests.size();
  }
}
