package dev.millrace.cli.batch;

import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobView;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a batch: each is one collecting stage with a task for each line that it answers. Tags
 * and metadata identify the file and its lines, so that a later run finds what is done.
 *
 * <p>Jobs of earlier versions have no {@link #PART} and answer all lines of exactly one file, in
 * their order; their tasks do not say which line they are.
 *
 * @param name the file as the user named it
 * @param path the file's absolute path
 * @param model for all lines; null if the lines name their models
 * @param sha256 of the model's file; null if a server has the model
 */
record BatchJob(
    BatchFile file, String name, Path path, @Nullable String model, @Nullable String sha256) {

  /** SHA-256 of the file, in a job that answers all its lines in their order. */
  private static final String WHOLE_FILE = "batch";

  private static final String PATH = "file";
  private static final String MODEL = "model";
  private static final String MODEL_HASH = "model_sha256";

  /** Counts the jobs of a batch from 1. Later ones override earlier ones, whatever the clock. */
  private static final String PART = "part";

  /** What a job was submitted for. */
  enum Purpose {
    /** Lines without an answer. */
    ANSWER,
    /** Lines that failed. */
    RETRY,
    /** All lines, whatever earlier jobs have. */
    FRESH
  }

  private static final String PURPOSE = "purpose";

  /** The tag of all jobs of a file with this content. */
  String contentTag() {
    return "batch-" + file.key();
  }

  /** The tag of all jobs of a file with this name. */
  String nameTag() {
    return "batch-file-" + Sha256.hexOf(path.getFileName().toString()).substring(0, 16);
  }

  JobSpec spec(List<BatchLine> lines, long part, Purpose purpose) {
    StageSpec stage =
        StageSpec.builder(file.endpoint().type())
            .tolerance(FailureTolerance.ALL)
            .tasks(lines.stream().map(BatchLine::task).toList())
            .data(JsonObject.create().putIfPresent(MODEL, model))
            .build();
    boolean whole = lines.size() == file.lines().size();
    JsonObject metadata =
        JsonObject.create()
            .putIfPresent(WHOLE_FILE, whole ? file.sha256() : null)
            .put("url", file.endpoint().url())
            .putIfPresent(MODEL, model)
            .putIfPresent(MODEL_HASH, sha256)
            .put(PATH, path.toString())
            .put(PART, part)
            .put(PURPOSE, purpose.name());
    return JobSpec.builder()
        .name(SanitizedText.line(name, 200))
        .tags(List.of(contentTag(), nameTag()))
        .metadata(metadata)
        .stages(List.of(stage))
        .build();
  }

  /**
   * Whether the answers of a job may be used for this batch.
   *
   * @param served whether a server works on the workspace
   */
  boolean accepts(JobView job, boolean served) {
    return (isOld(job) ? isWhole(job) && isAlive(job) : job.stages().size() == 1)
        && hasModel(job, served);
  }

  /** Whether a job names this model, or its file without the folder, as earlier versions did. */
  private boolean isModel(String model, JsonObject metadata) {
    Object name = metadata.get(MODEL);
    return model.equals(name)
        || sha256 != null && sha256.equals(metadata.get(MODEL_HASH)) && model.endsWith("/" + name);
  }

  private boolean hasModel(JobView job, boolean served) {
    JsonObject metadata = job.header().metadata();
    if (model == null) { // no model is named and no server runs: accept the answers of any model
      return !metadata.has(MODEL) || job.state().isFinal() && !served;
    }
    return isModel(model, metadata)
        && (sha256 == null || !metadata.has(MODEL_HASH) || sha256.equals(metadata.get(MODEL_HASH)));
  }

  /** Whether two jobs were submitted for the same model. */
  static boolean sameModel(JobView one, JobView other) {
    JsonObject first = one.header().metadata();
    JsonObject second = other.header().metadata();
    return first.values().getOrDefault(MODEL, "").equals(second.values().getOrDefault(MODEL, ""))
        && (!first.has(MODEL_HASH)
            || !second.has(MODEL_HASH)
            || first.string(MODEL_HASH).equals(second.string(MODEL_HASH)));
  }

  private static boolean isAlive(JobView job) {
    return job.state() != JobState.ABORTED && job.state() != JobState.FAILED;
  }

  /** Whether the job was submitted by a version that knew only whole files. */
  static boolean isOld(JobView job) {
    return !job.header().metadata().has(PART);
  }

  /** Whether task n of the job is the n-th request of this file. */
  boolean isWhole(JobView job) {
    return file.sha256().equals(job.header().metadata().get(WHOLE_FILE))
        && job.stages().size() == 1
        && job.stages().getFirst().total() == file.lines().size();
  }

  /** Whether the job was submitted for the file at this path. */
  boolean isOfThisPath(JobView job) {
    return path.toString().equals(job.header().metadata().get(PATH));
  }

  static long part(JobView job) {
    return job.header().metadata().get(PART) instanceof Long part ? part : 0;
  }

  static boolean isFor(JobView job, Purpose purpose) {
    return purpose.name().equals(job.header().metadata().get(PURPOSE));
  }
}
