package dev.millrace.cli;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.Tolerance;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.Reading;
import dev.millrace.core.task.TaskPolicy;
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
 */
record BatchJob(BatchFile file, String name, @Nullable String model) {
  private static final Set<JobState> ALIVE =
      EnumSet.complementOf(EnumSet.of(JobState.ABORTED, JobState.FAILED));

  String tag() {
    return "batch-" + file.key();
  }

  JobSpec spec() {
    JsonObject data = JsonObject.create().putIfPresent("model", model);
    StageSpec stage =
        new StageSpec(
            file.endpoint().type(),
            false,
            Tolerance.ALL,
            TaskPolicy.DEFAULT,
            file.tasks(),
            null,
            data);
    JsonObject metadata =
        JsonObject.create()
            .put("batch", file.sha256())
            .put("url", file.endpoint().url())
            .putIfPresent("model", model);
    return new JobSpec(
        Printable.line(name, 200),
        Priority.MEDIUM,
        false,
        null,
        null,
        List.of(tag()),
        metadata,
        List.of(stage));
  }

  /** The newest job of this file that was not given up; of this model, where one is named. */
  Optional<JobId> find(Reading reading) {
    Reading.Query query = new Reading.Query(ALIVE, tag(), null, false, Integer.MAX_VALUE);
    for (JobId id : reading.list(query).reversed()) {
      if (reading.find(id).filter(view -> isThis(view.header())).isPresent()) {
        return Optional.of(id);
      }
    }
    return Optional.empty();
  }

  private boolean isThis(JobHeader header) {
    JsonObject metadata = header.metadata();
    return file.sha256().equals(metadata.get("batch"))
        && (model == null || model.equals(metadata.get("model")));
  }
}
