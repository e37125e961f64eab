package dev.millrace.cli.format;

import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says which jobs wait for an approval, and how to give it. */
public final class ApprovalText {
  private static final int MOST_SHOWN = 5;

  private ApprovalText() {}

  /** Why a job at a gate does not continue. */
  public static String reason(StageView stage) {
    return "waits for approval of stage " + stage.number();
  }

  /** The same, with the command that approves the stage. */
  public static String hint(String place, JobId id, StageView stage) {
    return reason(stage) + ": " + command(place, id, stage);
  }

  public static SuggestedCommand command(String place, JobId id, StageView stage) {
    return SuggestedCommand.of("approve").on(place).with(id, stage.number());
  }

  /** What a job waits for, as {@code --json} has it; null if it does not wait for an approval. */
  public static @Nullable JsonObject json(JobView job) {
    return job.stageAtGate()
        .map(stage -> JsonObject.create().put("stage", stage.number()).put("type", stage.type()))
        .orElse(null);
  }

  public static List<JobId> waiting(JobReader reader) {
    return reader.list(JobReader.Query.waitingForApproval());
  }

  /** {@code 2 jobs wait for approval}. */
  public static String count(int jobs) {
    return NumberText.of(jobs, "job") + (jobs == 1 ? " waits" : " wait") + " for approval";
  }

  /** How many jobs wait, the first of them with their stages, and how to approve the first. */
  public static String summary(String place, JobReader reader, List<JobId> waiting) {
    List<String> shown = new ArrayList<>();
    String first = null;
    for (JobId id : waiting.subList(0, Math.min(MOST_SHOWN, waiting.size()))) {
      StageView stage = stage(reader, id);
      if (stage != null) {
        shown.add(id + " (stage " + stage.number() + ")");
        first = first == null ? command(place, id, stage).quoted() : first;
      }
    }
    int more = waiting.size() - shown.size();
    return count(waiting.size())
        + (shown.isEmpty() ? "" : ": " + String.join(", ", shown))
        + (more > 0 && !shown.isEmpty() ? " and " + more + " more" : "")
        + (first == null ? "" : "; " + first + " approves the first");
  }

  private static @Nullable StageView stage(JobReader reader, JobId id) {
    try {
      return reader.find(id).flatMap(JobView::stageAtGate).orElse(null);
    } catch (StoreException e) {
      return null; // it cannot be read any more
    }
  }
}
