package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.internal.rules.JobUpdate.TemplateResolver;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TaskState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records the facts that follow from others, from tasks to stages to the job. It runs after every
 * change and at every start (for what a crash interrupted) until nothing more follows.
 */
public final class Cascade {
  private Cascade() {}

  /** The next fact that follows from the fold. */
  public static Optional<Fact> next(JobFold fold, TemplateResolver resolver) {
    if (fold.state().isFinal() || fold.state() == JobState.CREATED) {
      return Optional.empty();
    }
    for (StageFold stage : fold.stages()) {
      Fact fact = ofStage(fold, stage, resolver);
      if (fact != null) {
        return Optional.of(fact);
      }
    }
    return Optional.ofNullable(ofJob(fold));
  }

  private static @Nullable Fact ofStage(JobFold fold, StageFold stage, TemplateResolver resolver) {
    return switch (stage.state()) {
      case CREATED -> opening(fold, stage, resolver);
      case PENDING, IN_PROGRESS -> outcome(fold, stage);
      case WAITING, COMPLETED, FAILED, ABORTED -> null;
    };
  }

  private static @Nullable Fact opening(JobFold fold, StageFold stage, TemplateResolver resolver) {
    if (stage.plan().gate()) {
      return stageFact(stage, StageEvent.HOLD, Cause.system("approval gate"), null);
    }
    if (!previousStagesCompleted(fold, stage)) {
      return null;
    }
    return stageFact(
        stage,
        StageEvent.OPEN,
        Cause.SYSTEM,
        stage.hasUnresolvedTemplates() ? resolver.resolve(stage) : null);
  }

  /** Whether every earlier stage is completed. */
  static boolean previousStagesCompleted(JobFold fold, StageFold stage) {
    return stage.number() == 1 || fold.stage(stage.number() - 1).state() == StageState.COMPLETED;
  }

  private static @Nullable Fact outcome(JobFold fold, StageFold stage) {
    if (stage.state() == StageState.PENDING && hasStarted(stage)) {
      return stageFact(stage, StageEvent.BEGIN, Cause.SYSTEM, null);
    }
    if (stage.error() != null) {
      return stageFact(stage, StageEvent.FAIL, Cause.system(stage.error()), null);
    }
    int failed = stage.count(TaskState.FAILED);
    if (stage.plan().tolerance().exceeded(failed, stage.size())) {
      return stageFact(stage, StageEvent.FAIL, Cause.system(failure(stage, failed)), null);
    }
    boolean all = stage.count(TaskState.COMPLETED) + failed == stage.size();
    if (all && (stage.size() > 0 || settled(fold, stage))) {
      return stageFact(stage, StageEvent.COMPLETE, Cause.SYSTEM, null);
    }
    return null;
  }

  /** Whether an empty stage stays empty, because no one may add to it or a user closed it. */
  private static boolean settled(JobFold fold, StageFold stage) {
    return fold.plan().sealed() || stage.plan().template() || stage.isClosed();
  }

  private static boolean hasStarted(StageFold stage) {
    return stage.startedAt() != null || stage.count(TaskState.IN_PROGRESS) > 0;
  }

  private static String failure(StageFold stage, int failed) {
    for (int task = 1; task <= stage.size(); task++) {
      TaskFold fold = stage.task(task);
      if (fold.state() == TaskState.FAILED) {
        String first = "task " + task + ": " + fold.error();
        return failed == 1 && !stage.plan().tolerance().collect()
            ? first
            : failed + " of " + stage.size() + " tasks failed; first, " + first;
      }
    }
    throw new IllegalStateException("no failed task");
  }

  private static @Nullable Fact ofJob(JobFold fold) {
    if (!fold.state().isOpen()) {
      return null;
    }
    boolean started = fold.startedAt() != null;
    boolean all = fold.stageCount() > 0; // an open job may not have its first stage yet
    for (StageFold stage : fold.stages()) {
      started |= stage.startedAt() != null;
      all &= stage.state() == StageState.COMPLETED;
      if (stage.state() == StageState.FAILED && fold.state() == JobState.IN_PROGRESS) {
        return failed(stage);
      }
    }
    if (fold.state() == JobState.PENDING && started) {
      return new Fact.JobChanged(JobEvent.BEGIN, Cause.SYSTEM);
    }
    for (StageFold stage : fold.stages()) {
      if (stage.state() == StageState.FAILED) {
        return failed(stage);
      }
    }
    return all ? new Fact.JobChanged(JobEvent.COMPLETE, Cause.SYSTEM) : null;
  }

  private static Fact failed(StageFold stage) {
    return new Fact.JobChanged(
        JobEvent.FAIL,
        Cause.system(
            "stage " + stage.number() + " (" + stage.plan().type() + "): " + stage.error()));
  }

  private static Fact stageFact(
      StageFold stage, StageEvent event, Cause cause, Fact.@Nullable Opening opening) {
    return new Fact.StageChanged(stage.number(), event, cause, opening);
  }
}
