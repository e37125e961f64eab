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
 * The job of a batch: one collecting stage with a task for each line. Its tag and metadata identify
 * the file, so that a later run finds the job.
 *
 * @param model for all lines; null if the lines name their models
 * @param sha256 of the model's file; null if a server has the model
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
   * The newest job of this file and model that was not aborted.
   *
   * @param served whether a server works on the workspace
   */
  Optional<JobId> find(JobReader reader, boolean served) {
    JobReader.Query query = new JobReader.Query(ALIVE, tag(), null, true, 1);
    while (true) {
      List<JobId> ids = reader.list(query);
      for (JobId id : ids.reversed()) {
        if (reader.find(id).filter(job -> isThis(job, served)).isPresent()) {
          return Optional.of(id);
        }
      }
      if (ids.size() < query.limit()) {
        return Optional.empty();
      }
      query = query.newest(16 * query.limit()); // rare: a list reads each job
    }
  }

  /** Whether a job names this model, or its file without the folder, as earlier versions did. */
  private boolean isModel(String model, JsonObject metadata) {
    Object name = metadata.get(MODEL);
    return model.equals(name)
        || sha256 != null && sha256.equals(metadata.get(MODEL_HASH)) && model.endsWith("/" + name);
  }

  private boolean isThis(JobView job, boolean served) {
    JsonObject metadata = job.header().metadata();
    if (!file.sha256().equals(metadata.get(FILE))) {
      return false;
    }
    if (model == null) { // no model is named and no server runs: accept the answers of any model
      return !metadata.has(MODEL) || job.state().isFinal() && !served;
    }
    return isModel(model, metadata)
        && (sha256 == null || !metadata.has(MODEL_HASH) || sha256.equals(metadata.get(MODEL_HASH)));
  }
}
