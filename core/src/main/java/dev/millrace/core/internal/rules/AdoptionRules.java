package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.job.Adoption;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * The rules for a retry: what a new job adopts from an ended one. A task is adopted if it completed
 * and its input is certain to be the same: it was given with the job, or it was rendered from
 * results that are all adopted.
 */
public final class AdoptionRules {
  private AdoptionRules() {}

  /** The ended job, beside its fold. */
  public interface EndedJob {
    JobId id();

    JobFold fold();

    /** Whether a task of a stage with templates was given as it is, and not rendered. */
    boolean isGiven(StageFold stage, int task);

    /** Copies the result of a completed task to the new job; null if it cannot be read. */
    Detail.@Nullable Completed copyResult(StageFold stage, int task);

    /** The last terms that a task froze; null if none. */
    @Nullable JsonObject frozenTerms(int stage, int task);
  }

  /**
   * Whether the job can be run again: done, or the reason why not.
   *
   * @param state null if there is no such job
   */
  public static Outcome allowsRetry(JobId id, @Nullable JobState state) {
    if (state == null) {
      return new Outcome.Missing("no job " + id + " to retry");
    }
    return state.isFinal()
        ? Outcome.DONE
        : new Outcome.Refused(
            Outcome.Reason.JOB_NOT_ENDED,
            "the job is "
                + state
                + "; only a finished job can be run again: wait for it, or abort it");
  }

  /**
   * The specification of a job that runs an ended one again.
   *
   * @throws IllegalArgumentException if the request's comment is too long for a log
   */
  public static JobSpec again(RetryRequest request, JobId id, JobSpec ended) {
    if (request.cause() != null) {
      LogLimits.requireCause(request.cause());
    }
    return ended.toBuilder()
        .held(false)
        .retryOf(id)
        .submittedBy(request.submittedBy())
        .open(ended.stages().isEmpty()) // a job with stages is complete by now
        .build();
  }

  /** Records why a job is run again, if the request says so. The new job was only submitted. */
  public static void note(JobUpdate update, RetryRequest request) {
    Cause cause = request.cause();
    if (cause != null && cause.comment() != null) {
      String who = cause.who() == null ? "" : " by " + cause.who();
      String text = LogLimits.cut("run again" + who + ": " + cause.comment(), LogLimits.MAX_LINE);
      update.record(new Fact.WorkerLogLine(0, 0, "info", text));
    }
  }

  /**
   * Whether a retry adopts anything. Of a job that completed with all its tasks nothing would be
   * left to do: it is repeated.
   *
   * @param state how the job ended
   */
  public static boolean adopts(JobState state, JobFold ended) {
    boolean whole =
        ended.stages().stream().allMatch(stage -> stage.count(TaskState.COMPLETED) == stage.size());
    return !(state == JobState.COMPLETED && whole) && lastStage(ended) > 0;
  }

  /** The last stage with a completed task; 0 if there is none. */
  private static int lastStage(JobFold ended) {
    int last = 0;
    for (StageFold stage : ended.stages()) {
      last = stage.count(TaskState.COMPLETED) > 0 ? stage.number() : last;
    }
    return last;
  }

  /**
   * Records what a new job, which was only submitted so far, adopts: CREATED or PENDING tasks become
   * COMPLETED. Stages complete and open only as far as there is something to adopt behind them; the
   * rest follows when the job is read.
   */
  public static void adopt(JobUpdate update, EndedJob ended) {
    boolean whole = true; // everything so far is adopted, so that texts are rendered as before
    int last = lastStage(ended.fold());
    for (int number = 1; number <= last; number++) {
      StageFold before = ended.fold().stage(number);
      if (whole) {
        open(update, ended, before);
      }
      StageFold stage = update.fold().stage(number);
      whole &= stage.size() == before.size();
      boolean rendered = whole && stage.state().isOpen();
      for (int task = 1; task <= Math.min(stage.size(), before.size()); task++) {
        if (keepsInput(ended, before, task, rendered)) {
          adopt(update, ended, before, task);
        }
      }
      whole &= stage.adopted() == stage.size() && before.state() == StageState.COMPLETED;
    }
  }

  /** Opens a stage whose turn has come; what completed behind its gate implies the approval. */
  private static void open(JobUpdate update, EndedJob ended, StageFold before) {
    update.runCascade();
    int number = before.number();
    Cause approval = before.approval();
    if (update.fold().stage(number).state() == StageState.WAITING && approval != null) {
      String comment = approval.comment() == null ? "" : ": " + approval.comment();
      LeverRules.approve(
          update, number, Cause.user(approval.who(), "in job " + ended.id() + comment));
    }
  }

  private static boolean keepsInput(EndedJob ended, StageFold before, int task, boolean rendered) {
    return before.task(task).state() == TaskState.COMPLETED
        && (!before.plan().template() || rendered || ended.isGiven(before, task));
  }

  private static void adopt(JobUpdate update, EndedJob ended, StageFold before, int task) {
    Detail.Completed copy = ended.copyResult(before, task);
    if (copy == null) {
      return;
    }
    JsonObject terms = ended.frozenTerms(before.number(), task);
    if (terms != null) {
      update.record(new Fact.TermsFrozen(before.number(), task, terms));
    }
    Adoption earlier = before.task(task).adoption();
    Adoption from =
        earlier == null ? new Adoption(ended.id(), task, ended.fold().plan().createdAt()) : earlier;
    update.record(
        new Fact.TaskChanged(
            before.number(),
            task,
            TaskEvent.ADOPT,
            new Detail.Adopted(from, copy.offset(), copy.length())));
  }
}
