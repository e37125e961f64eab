package dev.millrace.cli.batch;

import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.job.JobId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a batch says at its beginning: which jobs it has, and what it keeps of earlier runs. */
final class BatchMessages {
  private static final int IDS_SHOWN = 5;

  private BatchMessages() {}

  /** About a batch that needs no further job. */
  static String found(BatchPlan plan, boolean ended) {
    List<String> ids = plan.jobs().keySet().stream().map(JobId::value).toList();
    boolean one = ids.size() == 1;
    String jobs = (one ? "job " : "jobs ") + String.join(", ", ids);
    return jobs
        + (ended
            ? (one ? " is" : " are") + " done: only the output is written"
            : (one ? " exists already: resuming it" : " exist already: resuming them"));
  }

  /** About the job that was just submitted. */
  static String submitted(JobId id, int requests, BatchPlan before) {
    int kept = before.sources().size() - requests;
    String which =
        before.retried() == 0
            ? kept == 0 ? "" : ", new, changed or not finished"
            : before.retried() == requests
                ? " that failed"
                : ", " + before.retried() + " of them because they failed";
    return "job "
        + id
        + ": "
        + NumberText.of(requests, "request")
        + which
        + (kept == 0 ? "" : "; " + kept + " kept from earlier runs");
  }

  /** About requests of earlier runs that the output leaves out. */
  static Optional<String> removed(BatchPlan plan) {
    int count = plan.removed().size();
    String ids =
        plan.removed().stream()
            .limit(IDS_SHOWN)
            .map(id -> SanitizedText.line(id, 40))
            .collect(Collectors.joining(", "));
    return count == 0
        ? Optional.empty()
        : Optional.of(
            "left out: "
                + NumberText.of(count, "request")
                + " no longer in the file ("
                + ids
                + (count > IDS_SHOWN ? ", …" : "")
                + ")");
  }
}
