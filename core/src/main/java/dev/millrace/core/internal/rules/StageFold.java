package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.internal.rules.JobPlan.StagePlan;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TaskTransitions;
import dev.millrace.core.time.Moment;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The state of a stage, as its events add up to it. Only {@link JobFold} changes it. Tasks count
 * from 1.
 */
public final class StageFold {
  /** How many different tasks are remembered while equal ones are moved. */
  private static final int MOST_SHARED = 1_000;

  private static final long STAGE_BYTES = 500;

  /** What a task takes in memory to which nothing has happened, or what happened to all. */
  private static final long REFERENCE_BYTES = 8;

  /** What a task takes in memory that has a history of its own. */
  private static final long TASK_BYTES = 300;

  /** What a task takes in memory that has its own limit of attempts, beside the others. */
  private static final long LIMIT_BYTES = 60;

  private final int number;
  private final StagePlan plan;
  private final TransitionListener listener;
  private final Instant createdAt;
  private StageState state = StageState.CREATED;
  private TaskFold[] tasks;
  private final int[] counts;
  private Moment openSince;
  private @Nullable Instant startedAt;
  private @Nullable Instant completedAt;
  private @Nullable String error;
  private @Nullable JsonBytes metadata;
  private boolean closed;
  private int adopted;
  private @Nullable Cause approval;

  StageFold(int number, StagePlan plan, Moment created, TransitionListener listener) {
    this.number = number;
    this.plan = plan;
    this.listener = listener;
    this.createdAt = created.wall();
    this.openSince = created;
    this.tasks = new TaskFold[plan.tasks()];
    this.counts = new int[TaskState.values().length];
    Arrays.fill(tasks, TaskFold.created(created, 0));
    Map<Integer, TaskFold> byLimit = new HashMap<>();
    plan.attempts()
        .forEach(
            (task, own) ->
                tasks[task - 1] =
                    byLimit.computeIfAbsent(own, limit -> TaskFold.created(created, limit)));
    counts[TaskState.CREATED.ordinal()] = tasks.length;
    if (!plan.template()) {
      enqueueTasks(created);
    }
  }

  private StageFold(StageFold from, TransitionListener listener) {
    this.number = from.number;
    this.plan = from.plan;
    this.listener = listener;
    this.createdAt = from.createdAt;
    this.state = from.state;
    this.tasks = from.tasks.clone();
    this.counts = from.counts.clone();
    this.openSince = from.openSince;
    this.startedAt = from.startedAt;
    this.completedAt = from.completedAt;
    this.error = from.error;
    this.metadata = from.metadata;
    this.closed = from.closed;
    this.adopted = from.adopted;
    this.approval = from.approval;
  }

  StageFold copy(TransitionListener newListener) {
    return new StageFold(this, newListener);
  }

  void move(StageEvent event, Moment at) {
    StageState from = state;
    state = StageTransitions.TABLE.move(from, event);
    if (state == StageState.PENDING) {
      openSince = at;
    }
    if (state == StageState.IN_PROGRESS && startedAt == null) {
      startedAt = at.wall();
    }
    if (state.isFinal()) {
      completedAt = at.wall();
    }
    listener.onTransition(
        new TransitionListener.Transition(StageTransitions.TABLE, number, 0, from, event, state));
  }

  void approved(Cause cause) {
    approval = cause;
  }

  /** How its gate was last approved; null if it never was. */
  @Nullable Cause approval() {
    return approval;
  }

  /** Moves a task and returns it, for the caller to complete with {@link #set}. */
  TaskFold move(int task, TaskEvent event, Moment at) {
    TaskFold after = moved(task(task), event, at);
    replace(task, event, after);
    return after;
  }

  private static TaskFold moved(TaskFold before, TaskEvent event, Moment at) {
    return before.withState(TaskTransitions.TABLE.move(before.state(), event), at);
  }

  private void replace(int task, TaskEvent event, TaskFold after) {
    TaskState from = task(task).state();
    counts[from.ordinal()]--;
    counts[after.state().ordinal()]++;
    adopted += event == TaskEvent.ADOPT ? 1 : 0;
    tasks[task - 1] = after;
    listener.onTransition(
        new TransitionListener.Transition(
            TaskTransitions.TABLE, number, task, from, event, after.state()));
  }

  /**
   * Moves the tasks from number {@code first} on that are in such a state. Those that were one
   * object before are one afterwards, so that a task to which nothing else has happened takes no
   * more memory than a reference.
   */
  private void moveAll(int first, Predicate<TaskState> which, TaskEvent event, Moment at) {
    Map<TaskFold, TaskFold> shared = new IdentityHashMap<>();
    for (int task = first; task <= tasks.length; task++) {
      TaskFold before = task(task);
      if (which.test(before.state())) {
        if (shared.size() == MOST_SHARED && !shared.containsKey(before)) {
          shared.clear();
        }
        replace(task, event, shared.computeIfAbsent(before, own -> moved(own, event, at)));
      }
    }
  }

  void set(int task, TaskFold fold) {
    tasks[task - 1] = fold;
  }

  /** Creates and enqueues the tasks that the templates were rendered to. */
  void resolve(Fact.Opening opening, Moment at) {
    error = opening.error();
    grow(opening.tasks() - tasks.length, 0, at);
    if (error == null) {
      enqueueTasks(at);
    }
  }

  private void grow(int more, int limit, Moment at) {
    if (more > 0) {
      int known = tasks.length;
      tasks = Arrays.copyOf(tasks, known + more);
      Arrays.fill(tasks, known, tasks.length, TaskFold.created(at, limit));
      counts[TaskState.CREATED.ordinal()] += more;
    }
  }

  /** Adds and enqueues tasks; 0 tasks close the stage. */
  void add(int more, int limit, Moment at) {
    closed |= more == 0;
    grow(more, limit, at);
    moveAll(tasks.length - more + 1, _ -> true, TaskEvent.ENQUEUE, at);
  }

  void describe(JsonObject by) {
    metadata = JsonBytes.of(by);
  }

  private void enqueueTasks(Moment at) {
    moveAll(1, state -> state == TaskState.CREATED, TaskEvent.ENQUEUE, at);
  }

  /** Aborts the stage and its unfinished tasks. */
  void abort(Moment at) {
    moveAll(1, state -> !state.isFinal(), TaskEvent.ABORT, at);
    if (!state.isFinal()) {
      move(StageEvent.ABORT, at);
    }
  }

  void fail(@Nullable String reason) {
    error = reason;
  }

  public int number() {
    return number;
  }

  public StagePlan plan() {
    return plan;
  }

  public StageState state() {
    return state;
  }

  public int size() {
    return tasks.length;
  }

  /** About how many bytes of memory its tasks take. */
  long memory() {
    int shared = count(TaskState.CREATED) + count(TaskState.PENDING) + count(TaskState.ABORTED);
    return STAGE_BYTES
        + REFERENCE_BYTES * tasks.length
        + TASK_BYTES * (tasks.length - shared)
        + LIMIT_BYTES * plan.attempts().size();
  }

  /** Task {@code task}, from 1. */
  public TaskFold task(int task) {
    return tasks[task - 1];
  }

  public boolean hasTask(int task) {
    return task >= 1 && task <= tasks.length;
  }

  public int count(TaskState taskState) {
    return counts[taskState.ordinal()];
  }

  /** How many of its completed tasks were adopted. */
  public int adopted() {
    return adopted;
  }

  /** Whether its turn has come; a stage at its gate, or held before its turn, has not opened. */
  boolean hasOpened() {
    return startedAt != null || state != StageState.CREATED && state != StageState.WAITING;
  }

  /** Whether templates still have to be resolved before the stage can run. */
  public boolean hasUnresolvedTemplates() {
    return plan.template()
        && (state == StageState.CREATED || state == StageState.WAITING)
        && count(TaskState.CREATED) + adopted == tasks.length
        && error == null
        && startedAt == null;
  }

  /** When its tasks last became claimable, as far as the stage's state decides. */
  public Moment openSince() {
    return openSince;
  }

  /** Whether a user closed the empty stage: no tasks will be added. */
  public boolean isClosed() {
    return closed;
  }

  /** The metadata that is kept with it now. */
  public JsonObject metadata() {
    JsonObject since = JsonBytes.read(metadata);
    return since == null ? plan.spec().metadata() : since;
  }

  public Instant createdAt() {
    return createdAt;
  }

  public @Nullable Instant startedAt() {
    return startedAt;
  }

  public @Nullable Instant completedAt() {
    return completedAt;
  }

  /** Why it failed, or is about to. */
  public @Nullable String error() {
    return error;
  }
}
