package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.AdoptionRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.postgres.internal.read.JobSnapshot;
import dev.millrace.store.postgres.internal.rows.JobTables;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a new job adopts from an ended one; results are copied when the new job is inserted. */
final class AdoptedResults implements AdoptionRules.EndedJob {
  private final JobSnapshot ended;
  private final JobTables rows;
  private final Map<Long, Long> copies;

  /**
   * @param copies gets the key of each copy, and of its source
   */
  AdoptedResults(JobSnapshot ended, JobTables rows, Map<Long, Long> copies) {
    this.ended = ended;
    this.rows = rows;
    this.copies = copies;
  }

  /** Of the ended job's rows. */
  long key() {
    return ended.row().key();
  }

  @Override
  public JobId id() {
    return ended.row().id();
  }

  @Override
  public JobFold fold() {
    return ended.fold();
  }

  @Override
  public boolean isGiven(StageFold stage, int task) {
    TaskRow row = rows.tasks().task(ended.row(), stage.number(), task).orElse(null);
    return row != null && row.given() != null && !row.given().template();
  }

  @Override
  public Detail.@Nullable Completed copyResult(StageFold stage, int task) {
    TaskFold at = stage.task(task);
    if (at.state() != TaskState.COMPLETED || at.stored().length() == 0) {
      return null;
    }
    long copy = rows.results().newKey();
    copies.put(copy, at.stored().offset());
    return new Detail.Completed(copy, at.stored().length());
  }

  @Override
  public @Nullable JsonObject frozenTerms(int stage, int task) {
    TaskFold.Freeze freeze = ended.fold().stage(stage).task(task).freeze();
    return freeze == null
        ? null
        : rows.entries()
            .entry(ended.row().key(), freeze.number())
            .map(entry -> ((Fact.TermsFrozen) entry.fact()).terms())
            .orElse(null);
  }
}
