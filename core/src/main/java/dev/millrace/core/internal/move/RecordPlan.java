package dev.millrace.core.internal.move;

import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.JobPlan.StagePlan;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.store.JobHeader;
import java.util.ArrayList;
import java.util.List;

/** The plan of a job as a record, and back. */
public final class RecordPlan {
  private RecordPlan() {}

  /** The record of a job's document. */
  public static JobRecord.Document document(JobId id, JobHeader header, JobPlan plan) {
    JobSpec spec =
        JobSpec.builder()
            .labels(header.labels())
            .relations(header.relations())
            .priority(header.priority())
            .held(plan.held())
            .open(!plan.sealed())
            .trace(header.trace())
            .webhooks(header.webhooks())
            .stages(plan.stages().stream().map(StagePlan::spec).toList())
            .build();
    List<JobRecord.StageShape> stages =
        plan.stages().stream()
            .map(it -> new JobRecord.StageShape(it.tasks(), it.template(), it.attempts()))
            .toList();
    return new JobRecord.Document(id, plan.createdAt(), spec, stages);
  }

  /** The plan that a record describes. */
  public static JobPlan of(JobRecord.Document document) {
    List<StagePlan> stages = new ArrayList<>();
    for (JobRecord.StageShape shape : document.stages()) {
      stages.add(
          new StagePlan(
              document.spec().stages().get(stages.size()),
              shape.tasks(),
              shape.template(),
              shape.attempts()));
    }
    return new JobPlan(
        document.createdAt(), document.spec().held(), !document.spec().open(), stages);
  }
}
