package dev.millrace.store.fs.internal.files;

import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.JobPlan.StagePlan;
import dev.millrace.core.internal.store.JobSizeLimits;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The document of a staged job, {@code job.json}; its tasks are in separate files. */
public final class StagedJobDocument {
  public static final String FILE = "job.json";
  private static final int MAX_BYTES = 64_000_000;
  private static final int VERSION = 1;

  /** Fields that may hold any JSON value, or very many values. */
  private static final Set<String> ONE_LINE = Set.of("data", "metadata", "attempts");

  private StagedJobDocument() {}

  /**
   * The files of a submission by path below the job's directory, in the order to write them.
   *
   * @throws IllegalArgumentException if one, or all together, would be too large to be read
   */
  public static Map<String, byte[]> files(JobSpec spec, Instant at) {
    Map<String, byte[]> files = new LinkedHashMap<>();
    long total = 0;
    int number = 1;
    for (StageSpec stage : spec.stages()) {
      if (!stage.tasks().isEmpty()) {
        byte[] lines = StagedJobFiles.taskLines(stage.tasks());
        total = JobSizeLimits.requireTotal(total, lines.length);
        files.put(
            StagedJobFiles.path(
                number,
                stage.type(),
                stage.isTemplate() ? StagedJobFiles.TEMPLATES : StagedJobFiles.TASKS),
            lines);
      }
      number++;
    }
    files.putAll(documents(spec, JobPlan.of(spec, at)));
    return files;
  }

  /**
   * The files of a submission but those of its tasks.
   *
   * @param spec whose tasks are not looked at
   */
  public static Map<String, byte[]> documents(JobSpec spec, JobPlan plan) {
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put(FILE, document(spec, plan));
    files.put(JobMetaFile.FILE, JobMetaFile.submitted(meta(spec, plan)));
    return files;
  }

  private static byte[] document(JobSpec spec, JobPlan plan) {
    JsonObject document =
        JsonObject.create()
            .put("v", VERSION)
            .put("counts", plan.stages().stream().map(StagePlan::tasks).toList());
    List<JsonObject> attempts = attempts(plan);
    if (!attempts.isEmpty()) {
      document.put("attempts", attempts);
    }
    document.put("job", JobDocument.write(spec, false));
    byte[] bytes = StrictUtf8.bytes(Json.pretty(document, ONE_LINE) + "\n");
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the job's stages are too large without their tasks: "
              + FILE
              + " would have "
              + bytes.length
              + " bytes, at most "
              + MAX_BYTES);
    }
    return bytes;
  }

  private static JsonObject meta(JobSpec spec, JobPlan plan) {
    JsonObject meta = JobMetaFile.of(spec, plan.createdAt(), "job");
    if (spec.open()) {
      meta.put("inspect", true); // its log may have more stages than were submitted
    }
    if (spec.stages().isEmpty()) {
      return meta;
    }
    StageSpec first = spec.stages().getFirst();
    meta.put("type", first.type());
    int tasks = plan.stages().getFirst().tasks();
    if (first.gate() || tasks == 0) {
      meta.put("inspect", true); // it has nothing to claim yet
    }
    if (tasks != 1) {
      meta.put("tasks", tasks);
    }
    return JobMetaFile.limits(meta, first.policy());
  }

  /** Runs of tasks with the same limit of attempts, for tasks that have their own. */
  private static List<JsonObject> attempts(JobPlan plan) {
    List<JsonObject> runs = new ArrayList<>();
    int number = 0;
    for (StagePlan stage : plan.stages()) {
      number++;
      JsonObject run = JsonObject.create();
      for (Map.Entry<Integer, Integer> own : stage.attempts().entrySet()) {
        boolean continues =
            own.getValue().equals(run.get("maxAttempts"))
                && Integer.valueOf(own.getKey() - 1).equals(run.get("to"));
        if (!continues) {
          run = JsonObject.create().put("stage", number).put("from", own.getKey());
          runs.add(run);
        }
        run.put("to", own.getKey()).put("maxAttempts", own.getValue());
      }
    }
    return runs;
  }

  private static Map<Integer, Integer> attempts(JsonObject document, int stage, int tasks) {
    Map<Integer, Integer> own = new TreeMap<>();
    for (Object each : document.list("attempts")) {
      JsonObject run = JsonObject.of(each, "attempts");
      if (run.integer("stage") == stage) {
        long from = Math.max(1, run.integer("from"));
        long to = Math.min(tasks, run.integer("to"));
        int most =
            TaskPolicy.requireAttempts(
                Math.clamp(run.integer("maxAttempts"), Integer.MIN_VALUE, Integer.MAX_VALUE));
        for (long task = from; task <= to; task++) {
          own.put((int) task, most);
        }
      }
    }
    return own;
  }

  /**
   * @param meta has what no document has: who submitted the job
   */
  static StagedJobFiles read(JobDirectory at, JobId id, JsonObject meta, Instant created)
      throws IOException {
    byte[] bytes;
    try {
      bytes = at.disk().read(at.file(FILE), MAX_BYTES);
    } catch (NoSuchFileException e) {
      throw at.disk().kind(at.dir()) == Disk.Kind.DIRECTORY
          ? new JobFiles.MalformedJobException("job.json not found")
          : e;
    } catch (Disk.FileTooLargeException | Disk.NotRegularException e) {
      throw new JobFiles.MalformedJobException(e.getMessage());
    }
    JsonObject document = Json.object(StrictUtf8.of(at.file(FILE), bytes));
    if (document.integer("v") != VERSION) {
      throw new JobFiles.MalformedJobException(
          "job.json: version " + document.integer("v") + " is not " + VERSION);
    }
    JobSpec submitted =
        JobDocument.read(document.object("job"), JobDocument.INLINE)
            .withSubmittedBy(meta.string("submittedBy", null));
    List<Integer> counts = document.list("counts").stream().map(StagedJobDocument::count).toList();
    if (counts.size() != submitted.stages().size()) {
      throw new JobFiles.MalformedJobException(
          "job.json: "
              + counts.size()
              + " counts of tasks for "
              + submitted.stages().size()
              + " stages");
    }
    List<StagePlan> stages = new ArrayList<>();
    for (int i = 0; i < submitted.stages().size(); i++) {
      StageSpec stage = submitted.stages().get(i);
      boolean template =
          stage.each() != null
              || at.disk()
                      .kind(
                          at.file(
                              StagedJobFiles.path(i + 1, stage.type(), StagedJobFiles.TEMPLATES)))
                  == Disk.Kind.FILE;
      stages.add(
          new StagePlan(stage, counts.get(i), template, attempts(document, i + 1, counts.get(i))));
    }
    return new StagedJobFiles(
        JobHeader.of(id, submitted),
        new JobPlan(created, submitted.held(), !submitted.open(), stages),
        submitted);
  }

  /**
   * A stand-in for a job whose document cannot be read, made from its metadata, so that the job can
   * be shown, failed and aborted. Null if the metadata does not suffice.
   */
  static @Nullable StagedJobFiles unreadable(JobHeader header, JsonObject meta, Instant created) {
    String type = meta.string("type", null);
    if (type == null && !header.open()) {
      return null;
    }
    // A job that is not open needs a task, or it would be complete.
    int tasks = Math.max(header.open() ? 0 : 1, JobMetaFile.tasks(meta));
    List<StageSpec> stages = type == null ? List.of() : List.of(StageSpec.of(type, List.of()));
    List<StagePlan> plans =
        stages.stream().map(stage -> new StagePlan(stage, tasks, false, Map.of())).toList();
    JobSpec submitted =
        JobSpec.builder()
            .labels(header.labels())
            .relations(header.relations())
            .priority(header.priority())
            .held(meta.flag("hold", false))
            .open(header.open())
            .trace(header.trace())
            .webhooks(header.webhooks())
            .stages(stages)
            .build();
    return new StagedJobFiles(
        header, new JobPlan(created, submitted.held(), !submitted.open(), plans), submitted);
  }

  private static int count(@Nullable Object number) {
    if (number instanceof Long count && count >= 0 && count <= StageSpec.MAX_TASKS) {
      return count.intValue();
    }
    throw new IllegalArgumentException(
        "a stage has 0 to " + StageSpec.MAX_TASKS + " tasks, not " + number);
  }
}
