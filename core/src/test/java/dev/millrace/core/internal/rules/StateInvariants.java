package dev.millrace.core.internal.rules;

import dev.millrace.core.internal.rules.ExploredState.Place;
import dev.millrace.core.internal.rules.PossibleActions.Kind;
import dev.millrace.core.internal.rules.PossibleActions.Step;
import dev.millrace.core.internal.rules.TransitionListener.Transition;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TaskTransitions;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What must hold in every reachable state, and along every edge between two. */
final class StateInvariants {
  private StateInvariants() {}

  /** Formatted only if a rule is violated. */
  private record Edge(ExploredState before, Step step) {
    @Override
    public String toString() {
      return before + "\n  --" + step.name() + "--> " + step.after();
    }
  }

  /** Of a job with one owner. */
  static void ofWorld(ExploredState world) {
    ofJob(world);
    for (StageFold stage : world.fold().stages()) {
      for (int task = 1; task <= stage.size(); task++) {
        ofOwner(world, stage.task(task));
      }
    }
  }

  private static void ofOwner(ExploredState world, TaskFold task) {
    if (task.state() == TaskState.IN_PROGRESS) {
      require(
          task.lastClaim().lease() != null || task.token().epoch() == world.epoch(),
          "a running task without a lease is of the owner's epoch",
          world);
    }
  }

  /** Of a job that any number of servers share. */
  static void ofJob(ExploredState world) {
    JobFold fold = world.fold();
    JobState state = fold.state();
    require(fold.plan().createdAt() != null, "createdAt is set", world);
    require(state.isFinal() == (fold.completedAt() != null), "completedAt iff final", world);
    require(
        !state.isOpen() || (fold.startedAt() != null) == (state == JobState.IN_PROGRESS),
        "an open job that has started is IN_PROGRESS",
        world);
    List<StageFold> stages = fold.stages();
    boolean allCompleted =
        !stages.isEmpty() && stages.stream().allMatch(s -> s.state() == StageState.COMPLETED);
    boolean anyFailed = stages.stream().anyMatch(s -> s.state() == StageState.FAILED);
    require(state != JobState.COMPLETED || allCompleted, "COMPLETED has all stages done", world);
    require(state != JobState.FAILED || anyFailed, "FAILED has a failed stage", world);
    require(!state.isOpen() || !allCompleted, "an open job has work left", world);
    require(!state.isOpen() || !anyFailed, "an open job has no failed stage", world);
    for (StageFold stage : stages) {
      ofStage(world, stage);
    }
  }

  private static void ofStage(ExploredState world, StageFold stage) {
    JobFold fold = world.fold();
    StageState state = stage.state();
    require(stage.createdAt() != null, "a stage has createdAt", world);
    require(
        state.isFinal() == (stage.completedAt() != null), "stage: completedAt iff final", world);
    require(
        !fold.state().isFinal() || state.isFinal() || keepsItsState(world, stage),
        "a final job has final stages, but for those after the failed one",
        world);
    if (stage.number() > 1) {
      boolean before = fold.stage(stage.number() - 1).state() == StageState.COMPLETED;
      boolean begun = state.isOpen() || state == StageState.COMPLETED || state == StageState.FAILED;
      require(before || !begun, "a stage begins only after the previous one completed", world);
    }
    require(
        !state.isOpen() || (stage.startedAt() != null) == (state == StageState.IN_PROGRESS),
        "an open stage that has started is IN_PROGRESS",
        world);
    int[] counts = new int[TaskState.values().length];
    for (int task = 1; task <= stage.size(); task++) {
      counts[stage.task(task).state().ordinal()]++;
      ofTask(world, new Place(stage.number(), task));
    }
    for (TaskState each : TaskState.values()) {
      require(stage.count(each) == counts[each.ordinal()], "count of " + each, world);
    }
  }

  /** Whether the job failed before the stage's turn came, in a log that leaves such stages alone. */
  private static boolean keepsItsState(ExploredState world, StageFold stage) {
    return world.fold().state() == JobState.FAILED
        && world.fold().version() > 1
        && (stage.state() == StageState.CREATED || stage.state() == StageState.WAITING)
        && stage.number() > 1
        && stage.startedAt() == null
        && world.fold().stages().stream()
            .anyMatch(s -> s.state() == StageState.FAILED && s.number() < stage.number());
  }

  private static void ofTask(ExploredState world, Place at) {
    JobFold fold = world.fold();
    TaskFold task = world.task(at);
    TaskState state = task.state();
    require(state.isFinal() == (task.completedAt() != null), "task: completedAt iff final", world);
    require(
        state.isFinal()
            || fold.version() == 1
            || fold.stage(at.stage()).state() != StageState.FAILED,
        "a failed stage has final tasks, also in a paused job",
        world);
    boolean kept = keepsItsState(world, fold.stage(at.stage()));
    require(
        kept
            ? state == TaskState.CREATED || state == TaskState.PENDING || task.adoption() != null
            : !fold.state().isFinal() || state.isFinal(),
        "a final job has final tasks, but for those of stages that never began",
        world);
    require((task.startedAt() != null) == (task.token() != null), "started iff claimed", world);
    require(
        task.adoption() == null
            || state == TaskState.COMPLETED && task.token() == null && task.attempts() == 0,
        "an adopted task is COMPLETED and was never claimed",
        world);
    require(
        state != TaskState.IN_PROGRESS || task.lastClaim() != null,
        "a running task has a claim",
        world);
    StageFold stage = fold.stage(at.stage());
    require(
        task.startedAt() == null || stage.startedAt() != null && fold.startedAt() != null,
        "a task that started has started its stage and its job",
        world);
    require(
        state.isFinal() || task.attempts() < stage.plan().policy().maxAttempts(),
        "a task that has not ended has attempts left",
        world);
    require(
        task.recoveriesSince(fold.completedTasks()) <= stage.plan().policy().recoveryCeiling(),
        "recoveries end at the ceiling",
        world);
    boolean open = fold.state().isOpen() && fold.stage(at.stage()).state().isOpen();
    require(
        ClaimRules.isClaimable(fold, at.stage(), at.task(), world.later())
            == (open && state.isQueued()),
        "claimable iff open and queued, once backoffs are over",
        world);
    require(
        task.notBefore() == null
            || !ClaimRules.isClaimable(
                fold, at.stage(), at.task(), task.notBefore().steady().minusMillis(1)),
        "not claimable during its backoff",
        world);
  }

  static void ofEdge(ExploredState before, Step step) {
    Object edge = new Edge(before, step);
    if (!step.outcome().isDone() || step.kind() == Kind.STALE) {
      require(!step.recorded() && step.moves().isEmpty(), "a refused verb records nothing", edge);
      require(before.key().equals(step.after().key()), "a refused verb changes nothing", edge);
    }
    if (step.verb().startsWith("stale")) {
      require(step.outcome() instanceof Outcome.Fenced, "a stale answer is fenced", edge);
    } else if (step.kind() == Kind.STALE && !step.verb().equals("settle")) {
      require(
          step.outcome() instanceof Outcome.Fenced || step.outcome() instanceof Outcome.Cancelled,
          "an answer after the end is fenced or cancelled",
          edge);
    }
    if (before.fold().state().isFinal()) {
      require(!step.recorded(), "a final job absorbs everything", edge);
      require(
          !step.outcome().isDone() || step.verb().equals("settle") || step.verb().equals("crash"),
          "a final job refuses every verb",
          edge);
    }
    failing(before, step, edge);
    recoveries(before, step, edge);
    growth(before, step, edge);
    attempts(before, step, edge);
    started(before, step, edge);
  }

  /** A stage is aborted only with its job; in a version 1 log also when the job fails. */
  private static void failing(ExploredState before, Step step, Object edge) {
    boolean ended = false;
    for (Transition move : step.moves()) {
      boolean failed = move.to() == JobState.FAILED;
      ended |= move.to() == JobState.ABORTED || failed && step.after().fold().version() == 1;
      require(move.to() != StageState.ABORTED || ended, "only an abort aborts stages", edge);
    }
  }

  /** Of a former owner only claims with a lease keep running, and progress resets recoveries. */
  private static void recoveries(ExploredState before, Step step, Object edge) {
    JobFold after = step.after().fold();
    if (step.verb().equals("crash")) {
      for (StageFold stage : before.fold().stages()) {
        for (int task = 1; task <= stage.size(); task++) {
          TaskFold was = stage.task(task);
          boolean leased = was.lastClaim() != null && was.lastClaim().lease() != null;
          TaskFold is = after.stage(stage.number()).task(task);
          require(leased || is.state() != TaskState.IN_PROGRESS, "a crash ends a claim", edge);
          require(!leased || is.equals(was), "a crash leaves a leased claim alone", edge);
        }
      }
    }
    if (step.verb().equals("progress")) {
      require(
          step.after().task(step.at()).recoveriesSince(after.completedTasks()) == 0,
          "progress forgives earlier recoveries",
          edge);
    }
  }

  /** A job grows only by additions, one at a time, and never in a running stage. */
  private static void growth(ExploredState before, Step step, Object edge) {
    JobFold was = before.fold();
    JobFold is = step.after().fold();
    boolean stageAdded = step.verb().startsWith("add stage") && step.outcome().isDone();
    require(is.stageCount() == was.stageCount() + (stageAdded ? 1 : 0), "stages added", edge);
    for (StageFold stage : was.stages()) {
      StageFold after = is.stage(stage.number());
      boolean taskAdded =
          step.verb().equals("add task") && step.at().stage() == stage.number() && step.recorded();
      boolean resolved = stage.plan().template() && stage.size() == 0;
      require(resolved || after.size() == stage.size() + (taskAdded ? 1 : 0), "tasks added", edge);
      boolean settled =
          stage.state() == StageState.IN_PROGRESS || stage.state().isFinal() || stage.isClosed();
      require(!settled || after.size() == stage.size(), "a settled stage does not grow", edge);
      require(!stage.isClosed() || after.isClosed(), "a closed stage stays closed", edge);
    }
  }

  /** A failure costs one attempt; nothing else does. */
  private static void attempts(ExploredState before, Step step, Object edge) {
    for (StageFold stage : before.fold().stages()) {
      for (int task = 1; task <= stage.size(); task++) {
        int spent = 0;
        for (Transition move : step.moves()) {
          boolean failed = move.event() == TaskEvent.RETRY || move.event() == TaskEvent.FAIL;
          spent += failed && move.stage() == stage.number() && move.task() == task ? 1 : 0;
        }
        int after = step.after().fold().stage(stage.number()).task(task).attempts();
        require(after == stage.task(task).attempts() + spent, "a failure costs one attempt", edge);
      }
    }
  }

  /** {@code startedAt} is set with the first entry into IN_PROGRESS and never changes. */
  private static void started(ExploredState before, Step step, Object edge) {
    JobFold was = before.fold();
    JobFold is = step.after().fold();
    same(was.startedAt(), is.startedAt(), entered(step.moves(), 0, 0, JobState.IN_PROGRESS), edge);
    for (StageFold stage : was.stages()) {
      int number = stage.number();
      same(
          stage.startedAt(),
          is.stage(number).startedAt(),
          entered(step.moves(), number, 0, StageState.IN_PROGRESS),
          edge);
      for (int task = 1; task <= stage.size(); task++) {
        same(
            stage.task(task).startedAt(),
            is.stage(number).task(task).startedAt(),
            entered(step.moves(), number, task, TaskState.IN_PROGRESS),
            edge);
      }
    }
  }

  private static boolean entered(List<Transition> moves, int stage, int task, Enum<?> state) {
    return moves.stream().anyMatch(m -> m.stage() == stage && m.task() == task && m.to() == state);
  }

  private static void same(
      @Nullable Instant was, @Nullable Instant is, boolean entered, Object edge) {
    if (was != null) {
      require(was.equals(is), "startedAt never changes", edge);
    } else {
      require((is != null) == entered, "startedAt is set on entering IN_PROGRESS only", edge);
    }
  }

  /** The listener gets every transition, as the tables have it. */
  static void ofMove(Transition move) {
    boolean legal =
        switch (move.from()) {
          case JobState from -> move.table() == JobTransitions.TABLE && !from.isFinal();
          case StageState from -> move.table() == StageTransitions.TABLE && !from.isFinal();
          case TaskState from -> move.table() == TaskTransitions.TABLE && !from.isFinal();
          default -> false;
        };
    require(legal, "a move is of its table and out of a state that is not final", move);
  }

  private static void require(boolean holds, String rule, Object where) {
    if (!holds) {
      throw new AssertionError("violated: " + rule + "\n  at " + where);
    }
  }
}
