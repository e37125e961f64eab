package dev.millrace.cli.batch;

import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The one job that a batch is: a collecting stage with a task for each line. Its tag and what it
 * carries along say of which file it is, so that it is found again.
 *
 * @param model for all lines; null where they say it themselves
 * @param sha256 of the model's file; null where a server has it
 */
record BatchJob(BatchFile file, String name, @Nullable String model, @Nullable String sha256) {
  private static final String FILE = "batch";
  private static final String MODEL = "model";
  private static final String MODEL_HASH = "model_sha256";
  private static final Set<JobState> ALIVE =
      EnumSet.complementOf(EnumSet.of(JobState.ABORTED, JobState.FAILED));

  String tag() {
    return "batch-" + file.key();
  }

  JobSpec spec() {
    JsonObject data = JsonObject.create().putIfPresent(MODEL, model);
    StageSpec stage =
        StageSpec.builder(file.endpoint().type())
            .tolerance(FailureTolerance.ALL)
            .tasks(file.tasks())
            .data(data)
            .build();
    JsonObject metadata =
        JsonObject.create()
            .put(FILE, file.sha256())
            .put("url", file.endpoint().url())
            .putIfPresent(MODEL, model)
            .putIfPresent(MODEL_HASH, sha256);
    return JobSpec.builder()
        .name(SanitizedText.line(name, 200))
        .tags(List.of(tag()))
        .metadata(metadata)
        .stages(List.of(stage))
        .build();
  }

  /**
   * The newest job of this file, with this model, that was not given up.
   *
   * @param served whether a server works on the workspace
   */
  Optional<JobId> find(JobReader reading, boolean served) {
    JobReader.Query query = new JobReader.Query(ALIVE, tag(), null, true, 1);
    while (true) {
      List<JobId> ids = reading.list(query);
      for (JobId id : ids.reversed()) {
        if (reading.find(id).filter(job -> isThis(job, served)).isPresent()) {
          return Optional.of(id);
        }
      }
      if (ids.size() < query.limit()) {
        return Optional.empty();
      }
      query = query.newest(16 * query.limit()); // hardly ever: a list reads what each job says
    }
  }

  private boolean isThis(JobView job, boolean served) {
    JsonObject said = job.header().metadata();
    if (!file.sha256().equals(said.get(FILE))) {
      return false;
    }
    if (model == null) { // if nobody could answer it now, answers of any model are welcome
      return !said.has(MODEL) || job.state().isFinal() && !served;
    }
    return model.equals(said.get(MODEL))
        && (sha256 == null || !said.has(MODEL_HASH) || sha256.equals(said.get(MODEL_HASH)));
  }
}
