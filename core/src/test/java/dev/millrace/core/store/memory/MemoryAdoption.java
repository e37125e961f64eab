package dev.millrace.core.store.memory;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.AdoptionRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.time.LogTimes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a new job adopts from an ended one, and why. */
record MemoryAdoption(MemoryJob ended, MemoryJob job) implements AdoptionRules.EndedJob {

  /**
   * Copies the results, and returns the entries that say so.
   *
   * @param adopts whether there is anything to copy
   */
  List<LogEntry> entries(RetryRequest request, boolean adopts) {
    JobFold fold = job.emptyFold(TransitionListener.IGNORED, LogTimes.AS_LOGGED);
    job.log.forEach(fold::apply);
    JobUpdate update = new JobUpdate(fold, job.createdAt, stage -> job.open(fold, stage));
    AdoptionRules.note(update, request);
    if (adopts) {
      AdoptionRules.adopt(update, this);
    }
    return update.entries();
  }

  @Override
  public JobId id() {
    return ended.id;
  }

  @Override
  public JobFold fold() {
    return ended.fold();
  }

  @Override
  public boolean isGiven(StageFold stage, int task) {
    return ended.isGiven(stage.number(), task);
  }

  @Override
  public Detail.@Nullable Completed copyResult(StageFold stage, int task) {
    TaskResult result = ended.result(stage, task);
    if (result == null) {
      return null;
    }
    job.adopt(stage.number(), task, result);
    return new Detail.Completed(0, 0);
  }

  @Override
  public @Nullable JsonObject frozenTerms(int stage, int task) {
    JsonObject last = null;
    for (LogEntry entry : ended.log) {
      if (entry.fact() instanceof Fact.TermsFrozen(int of, int number, JsonObject terms)
          && of == stage
          && number == task) {
        last = terms;
      }
    }
    return last;
  }
}
