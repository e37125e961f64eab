package dev.millrace.store.postgres.chaos.job;

import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.store.postgres.chaos.job.JobHistory.Pulled;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Compares a job that has ended with what was acknowledged about it: what was is there, once; what
 * was refused is not.
 */
public final class AnswerCheck {
  /** The database and this process have the same clock; servers do not. */
  private static final long TOLERANCE_SECONDS = 2;

  private final JobHistory history;
  private final JobView view;
  private final ChaosLog log;
  private final List<String> problems = new ArrayList<>();

  private AnswerCheck(JobHistory history, JobView view, ChaosLog log) {
    this.history = history;
    this.view = view;
    this.log = log;
  }

  /**
   * What was acknowledged and is not there, or the other way around.
   *
   * @param begin when the first job was submitted
   */
  public static List<String> problems(
      JobReader reader, JobHistory history, JobView view, ChaosLog log, Instant begin) {
    AnswerCheck check = new AnswerCheck(history, view, log);
    check.end();
    check.times(begin);
    check.answers();
    check.levers();
    if (history.shape() == JobShape.RETRIES && view.state() == JobState.COMPLETED) {
      check.attempts(reader.tasks(history.id(), 1, 1, 10));
    }
    return check.problems;
  }

  private void report(String what) {
    problems.add("job " + history.id() + " (" + history.shape() + "): " + what);
  }

  private void end() {
    JobState expected = log.isAborted() ? JobState.ABORTED : history.shape().end();
    if (!view.state().isFinal() || expected != null && view.state() != expected) {
      report("is " + view.state() + ", expected " + expected + ": " + view.error());
    }
  }

  /** By the clock of the database, whatever the server's clock says. */
  private void times(Instant begin) {
    Instant first = log.entries().getFirst().at();
    Instant last = log.entries().getLast().at();
    if (first.isBefore(begin.minusSeconds(TOLERANCE_SECONDS))
        || last.isAfter(Instant.now().plusSeconds(TOLERANCE_SECONDS))) {
      report("its log is of another time: " + first + " to " + last);
    }
  }

  private void answers() {
    Set<ClaimKey> claimed = new HashSet<>();
    for (WorkerAnswer answer : history.answers()) {
      TaskEvent end = log.ends().get(answer.claim());
      boolean right =
          switch (answer.kind()) {
            case CLAIMED ->
                answer.worker().equals(log.workers().get(answer.claim()))
                    && claimed.add(answer.claim());
            case COMPLETED -> end == TaskEvent.COMPLETE;
            case FAILED -> end == TaskEvent.RETRY || end == TaskEvent.FAIL;
            case RELEASED -> end == TaskEvent.RELEASE;
            case REFUSED -> !(answer.sure() && end == TaskEvent.COMPLETE);
          };
      if (!right) {
        report(
            "its log does not say what its worker was told: "
                + answer
                + "; the claim was "
                + log.workers().get(answer.claim())
                + "'s and ended with "
                + end);
      }
    }
  }

  private void levers() {
    for (Pulled lever : history.levers()) {
      int found = log.requests().getOrDefault(lever.op(), 0);
      boolean closes =
          lever.lever() instanceof Lever.AddTasks(int _, List<?> tasks) && tasks.isEmpty();
      if (lever.outcome().isDone() ? found != 1 && !closes : found != 0) {
        report("its log has " + lever + " " + found + " times");
      }
    }
  }

  /** A failure costs one attempt; a crash, a lost lease and an unknown answer cost none. */
  private void attempts(List<TaskView> tasks) {
    for (TaskView task : tasks) {
      if (task.attempts() != 2) {
        report("task 1/" + task.task() + " has failed " + task.attempts() + " times, not twice");
      }
    }
  }
}
