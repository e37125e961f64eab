package dev.millrace.http.jobnik.entity;

import dev.millrace.api.ApiStage;
import dev.millrace.api.StageSummary;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import java.util.List;

/** Maps a stage of the store to the record of the API. */
public final class ApiStageMapper {
  private ApiStageMapper() {}

  /** The stage without its tasks. */
  public static ApiStage of(JobView job, StageView stage) {
    StageContext context = StageContext.of(job, stage);
    StageSummary summary = summary(stage);
    return new ApiStage(
        EntityId.of(context.job(), stage.number()).uuid(),
        EntityId.of(context.job()).uuid(),
        stage.type(),
        stage.number(),
        stage.spec().data(),
        stage.metadata(),
        stage.state(),
        percentage(stage, summary),
        summary,
        stage.gate(),
        stage.startedAt(),
        stage.completedAt(),
        stage.error(),
        context.trace(),
        LegalLevers.ofStage(job, stage),
        List.of());
  }

  public static StageSummary summary(StageView stage) {
    return StageSummary.of(stage.tasks(), stage.adopted(), stage.total());
  }

  /** A completed stage is at 100 even if it is empty or tolerates failed tasks. */
  private static int percentage(StageView stage, StageSummary summary) {
    return stage.state() == StageState.COMPLETED
        ? 100
        : percent(summary.completed(), summary.total());
  }

  /** Rounded down: 100 means that all of them are done. */
  static int percent(long part, long whole) {
    return whole == 0 ? 0 : (int) (100 * part / whole);
  }
}
