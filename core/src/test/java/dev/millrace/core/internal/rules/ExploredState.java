package dev.millrace.core.internal.rules;

import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One state of the explored space: a job, the epoch of its owner, and for each task a token that a
 * former worker still has.
 */
record ExploredState(JobFold fold, long epoch, Map<Place, FencingToken> stale) {

  /** A task by stage and number. */
  record Place(int stage, int task) {}

  static ExploredState start(JobVariant variant, TransitionListener listener) {
    return new ExploredState(JobFold.created(variant.plan(), listener), 1, Map.of());
  }

  ExploredState copy(TransitionListener listener) {
    return new ExploredState(fold.copy(listener), epoch, stale);
  }

  /** Late enough that every backoff and every limit has passed. */
  Instant later() {
    return fold.lastAt().plus(Duration.ofHours(1));
  }

  TaskFold task(Place at) {
    return fold.stage(at.stage()).task(at.task());
  }

  @Nullable FencingToken token(Place at) {
    return task(at).token();
  }

  /** This state with the tokens of {@code before} that are no longer present. */
  ExploredState remembering(ExploredState before) {
    Map<Place, FencingToken> former = new HashMap<>(stale);
    for (StageFold stage : before.fold.stages()) {
      for (int task = 1; task <= stage.size(); task++) {
        Place at = new Place(stage.number(), task);
        FencingToken old = before.token(at);
        if (old != null && !old.equals(token(at))) {
          former.put(at, old);
        }
      }
    }
    return new ExploredState(fold, epoch, Map.copyOf(former));
  }

  /** Whether nothing happens until a user acts. */
  boolean heldByUser() {
    return switch (fold.state()) {
      case CREATED, PAUSED -> true;
      case PENDING, IN_PROGRESS ->
          fold.stageCount() == 0
              || fold.stages().stream()
                  .anyMatch(s -> needsUser(s) && Cascade.previousStagesCompleted(fold, s));
      case COMPLETED, FAILED, ABORTED -> false;
    };
  }

  boolean ended() {
    return fold.state().isFinal();
  }

  boolean endedOrHeld() {
    return ended() || heldByUser();
  }

  /** Whether this or a later stage has a gate or is empty. */
  boolean awaitsUser() {
    return heldByUser() || fold.stages().stream().anyMatch(this::needsUser);
  }

  /** Whether a stage waits at a gate, or is empty and may still get tasks. */
  private boolean needsUser(StageFold stage) {
    boolean mayGrow = !fold.plan().sealed() && !stage.plan().template() && !stage.isClosed();
    return stage.state() == StageState.WAITING
        || !stage.state().isFinal() && mayGrow && stage.size() == 0;
  }

  /**
   * Everything that the future depends on. Entry numbers are left out, and times except whether
   * they are set; so are the attempts and recoveries of final tasks, which no rule reads.
   */
  String key() {
    StringBuilder out = new StringBuilder(64).append(fold.state().ordinal());
    out.append(set(fold.startedAt())).append(set(fold.completedAt()));
    for (StageFold stage : fold.stages()) {
      out.append('|')
          .append(stage.state().ordinal())
          .append(stage.plan().gate() ? 'g' : '-')
          .append(stage.plan().template() ? 't' : '-')
          .append(stage.isClosed() ? 'c' : '-')
          .append(set(stage.startedAt()))
          .append(set(stage.completedAt()))
          .append(set(stage.error()));
      for (int task = 1; task <= stage.size(); task++) {
        key(out, new Place(stage.number(), task));
      }
    }
    return out.toString();
  }

  private void key(StringBuilder out, Place at) {
    TaskFold task = task(at);
    TaskState state = task.state();
    out.append(' ')
        .append(state.ordinal())
        .append(set(task.startedAt()))
        .append(set(task.completedAt()))
        .append(set(task.token()))
        .append(set(stale.get(at)));
    if (!state.isFinal()) {
      out.append(task.attempts())
          .append(task.recoveriesSince(fold.completedTasks()))
          .append(set(task.notBefore()));
    }
  }

  private static char set(@Nullable Object value) {
    return value == null ? '-' : '+';
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder().append(fold.state());
    for (StageFold stage : fold.stages()) {
      out.append("; stage ").append(stage.number()).append(' ').append(stage.state());
      for (int task = 1; task <= stage.size(); task++) {
        TaskFold at = stage.task(task);
        out.append(", ")
            .append(at.state())
            .append(" attempts=")
            .append(at.attempts())
            .append(" recoveries=")
            .append(at.recoveriesSince(fold.completedTasks()));
      }
    }
    return out.toString();
  }
}
