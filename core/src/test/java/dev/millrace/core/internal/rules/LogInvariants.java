package dev.millrace.core.internal.rules;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobView;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What must hold of a job that any store has returned: its log is legal and adds up to its view, and
 * {@link StateInvariants} holds in the end.
 */
public final class LogInvariants {
  private LogInvariants() {}

  /**
   * Throws an {@link AssertionError} or an {@link IllegalArgumentException} that names the rule.
   *
   * @param spec as submitted
   * @param log all of it, as of the time of the view
   */
  public static void require(JobSpec spec, JobView view, List<LogEntry> log) {
    JobPlan plan = JobPlan.of(spec, view.createdAt());
    JobFold fold = JobFold.created(plan, StateInvariants::ofMove);
    Instant before = view.createdAt();
    for (LogEntry entry : log) {
      if (entry.at().isBefore(before)) {
        throw new AssertionError("entry " + entry + " is earlier than " + before);
      }
      before = entry.at();
      fold.apply(entry); // refuses gaps, and what the transition tables do not have
    }
    StateInvariants.ofJob(new ExploredState(fold, 0, Map.of()));
    JobView expected = ViewFactory.job(view.header(), fold);
    if (!expected.equals(view)) {
      throw new AssertionError("the log adds up to " + expected + ", and the view is " + view);
    }
  }
}
