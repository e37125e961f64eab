package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.JsonSize;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.store.PartialOutput;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.CachedFileRegion;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A staged job: {@code job.json}, and for each stage a directory with {@code tasks.jsonl} and
 * {@code results.jsonl}. A batch of 50,000 prompts is two files. Stages that were added later are
 * only in the log, so callers pass the stage.
 */
public final class StagedJobFiles implements JobFiles {
  static final String TASKS = "tasks.jsonl";
  static final String TEMPLATES = "templates.jsonl";
  private static final String RESULTS = "results.jsonl";
  private static final String JOURNAL = "journal";
  private static final String SUFFIX = ".jsonl";

  /** How many bytes at the end of the results are searched for a partial output. */
  private static final int MAX_TAIL = 32 << 20;

  private final JobHeader header;
  private final JobPlan plan;
  private final JobSpec submitted;
  private final long submittedBytes;
  private final Map<String, LineFile> lines = new HashMap<>();
  private final Map<Integer, CachedFileRegion> results = new HashMap<>();
  private final Set<Integer> named = new HashSet<>();
  private long taskBytes = -1;

  /**
   * @param submitted the job, without the tasks that have separate files
   */
  StagedJobFiles(JobHeader header, JobPlan plan, JobSpec submitted) {
    this.header = header;
    this.plan = plan;
    this.submitted = submitted;
    this.submittedBytes = memory(submitted);
  }

  /** Tasks as lines of a file. */
  public static byte[] taskLines(List<TaskSpec> tasks) {
    return LineFile.bytes(tasks.stream().map(JobDocument::task).toList());
  }

  public static String path(int number, String type, String file) {
    return "stages/" + StageDirectory.name(number, type) + "/" + file;
  }

  private static String path(StageFold stage, String file) {
    return path(stage.number(), stage.plan().type(), file);
  }

  private static String path(TaskSnapshot task, String file) {
    return path(task.stage(), task.type(), file);
  }

  @Override
  public JobHeader header() {
    return header;
  }

  @Override
  public JobPlan plan() {
    return plan;
  }

  /** Returns this object: what it caches is guarded by a lock. */
  @Override
  public JobFiles forReading() {
    return this;
  }

  @Override
  public long size() {
    long cached = 0;
    synchronized (lines) {
      for (LineFile file : lines.values()) {
        cached += file.size();
      }
    }
    synchronized (results) {
      for (CachedFileRegion region : results.values()) {
        cached += region.size();
      }
    }
    return submittedBytes + cached;
  }

  private static long memory(JobSpec spec) {
    long bytes = JsonSize.of(spec.data()).memory() + JsonSize.of(spec.metadata()).memory();
    for (StageSpec stage : spec.stages()) {
      bytes += JsonSize.of(stage.data()).memory() + JsonSize.of(stage.metadata()).memory();
      bytes += stage.each() == null ? 0 : 2L * stage.each().length();
    }
    return bytes;
  }

  @Override
  public long lineBytes(JobDirectory at, StageFold stage, int task) throws IOException {
    try {
      return lines(path(stage, TASKS)).length(at, task);
    } catch (NoSuchFileException e) {
      return 0; // a template that was never rendered
    }
  }

  @Override
  public JobSpec spec(JobDirectory at, JobFold fold) throws IOException {
    List<StageSpec> whole = new ArrayList<>();
    for (StageFold stage : fold.stages()) {
      boolean template = stage.plan().template();
      LineFile file = lines(path(stage, template ? TEMPLATES : TASKS));
      List<TaskSpec> given = new ArrayList<>();
      for (int task = 1; task <= (template ? stage.plan().tasks() : stage.size()); task++) {
        given.add(given(at, file, task));
      }
      whole.add(stage.plan().spec().withTasks(given));
    }
    return submitted.withStages(whole);
  }

  @Override
  public TaskSpec task(JobDirectory at, TaskSnapshot task) throws IOException {
    if (task.plan().template() && task.fold().state() == TaskState.CREATED) {
      return template(at, task); // what is rendered may be from an opening that a crash undid
    }
    try {
      return given(at, lines(path(task, TASKS)), task.task());
    } catch (NoSuchFileException e) {
      if (!task.plan().template()) {
        throw e;
      }
      return template(at, task); // it was never rendered
    }
  }

  @Override
  public boolean isGiven(JobDirectory at, TaskSnapshot task) throws IOException {
    return !task.plan().template()
        || task.plan().spec().each() == null && !template(at, task).template();
  }

  /** A task of a stage with templates, as submitted. */
  public TaskSpec template(JobDirectory at, TaskSnapshot task) throws IOException {
    return given(at, lines(path(task, TEMPLATES)), task.task());
  }

  private static TaskSpec given(JobDirectory at, LineFile file, int task) throws IOException {
    try {
      return JobDocument.task(Json.parse(file.line(at, task)), "task " + task);
    } catch (IllegalArgumentException | JsonException e) {
      throw new MalformedJobException(file + ", line " + task + ": " + e.getMessage());
    }
  }

  @Override
  public long taskBytes(JobDirectory at, JobFold fold) throws IOException {
    if (taskBytes < 0) {
      long total = 0;
      for (StageFold stage : fold.stages()) {
        Path file = at.file(path(stage, stage.plan().template() ? TEMPLATES : TASKS));
        total += at.disk().kind(file) == Disk.Kind.FILE ? at.disk().size(file) : 0;
      }
      taskBytes = total;
    }
    return taskBytes;
  }

  @Override
  public void addTasks(
      JobDirectory at, int stage, String type, int known, byte[] lines, UnsyncedChanges unsynced)
      throws IOException {
    if (lines.length == 0) {
      return;
    }
    String path = path(stage, type, TASKS);
    directory(at, stage, type, unsynced);
    lines(path).append(at, known, lines);
    unsynced.addFile(at.file(path)).addDirectory(at.file(path).getParent());
    if (taskBytes >= 0) {
      taskBytes += lines.length;
    }
  }

  /** Replaces the tasks of a stage by the rendered ones. */
  void render(JobDirectory at, StageFold stage, List<TaskSpec> tasks, UnsyncedChanges unsynced)
      throws IOException {
    directory(at, stage.number(), stage.plan().type(), unsynced);
    Path file = at.file(path(stage, TASKS));
    at.disk().write(file, taskLines(tasks));
    unsynced.addFile(file).addDirectory(file.getParent());
    synchronized (lines) {
      lines.remove(path(stage, TASKS));
    }
  }

  private CachedFileRegion region(int stage) {
    synchronized (results) {
      return results.computeIfAbsent(stage, n -> new CachedFileRegion());
    }
  }

  private LineFile lines(String path) {
    synchronized (lines) {
      return lines.computeIfAbsent(path, LineFile::new);
    }
  }

  @Override
  public Detail.Completed writeResult(
      JobDirectory at, AnsweredTask of, TaskResult result, UnsyncedChanges unsynced)
      throws IOException {
    byte[] bytes = resultLine(of.task(), of.attempt(), result);
    return new Detail.Completed(append(at, of, bytes, unsynced), bytes.length);
  }

  /** A result as a line of a file. */
  public static byte[] resultLine(int task, int attempt, TaskResult result) {
    JsonObject line = JsonObject.create().put("task", task).put("attempt", attempt);
    if (result.kind() != TaskResult.Kind.RESULT) {
      line.put("kind", result.kind().name());
    }
    line.put("result", result.text())
        .putIfPresent("receipt", Json.requireDepth(result.receipt(), "a receipt"));
    return StrictUtf8.bytes(Json.write(line) + "\n");
  }

  /** Appends lines to the results of a stage, while the job is assembled. */
  public static void appendResults(
      JobDirectory at, int stage, String type, byte[] lines, UnsyncedChanges unsynced)
      throws IOException {
    Path file = at.file(path(stage, type, RESULTS));
    directory(at, stage, type, unsynced);
    at.disk().append(file, lines);
    unsynced.addFile(file).addDirectory(file.getParent());
  }

  @Override
  public void publishResult(JobDirectory at) {}

  @Override
  public void writeLatePartial(JobDirectory at, AnsweredTask of, PartialOutput partial)
      throws IOException {
    writePartial(at, of, partial, new UnsyncedChanges());
  }

  @Override
  public Path journalFile(JobDirectory at, StageFold stage, int task) {
    return at.file(path(stage, JOURNAL)).resolve(task + SUFFIX);
  }

  @Override
  public void deleteUnneeded(JobDirectory at, JobFold fold) throws IOException {
    for (StageFold stage : fold.stages()) {
      Path dir = at.file(path(stage, JOURNAL));
      if (at.disk().kind(dir) == Disk.Kind.DIRECTORY) {
        tidy(at, stage, dir);
      }
    }
  }

  private static void tidy(JobDirectory at, StageFold stage, Path dir) throws IOException {
    if (stage.count(TaskState.COMPLETED) == stage.size()) {
      DirectoryDeleter.delete(at.disk(), dir);
      return;
    }
    Set<String> left = new HashSet<>();
    at.disk().list(dir, left::add);
    for (int task = 1; task <= stage.size(); task++) {
      String name = task + SUFFIX;
      if (stage.task(task).state() == TaskState.COMPLETED && left.contains(name)) {
        DirectoryDeleter.delete(at.disk(), dir.resolve(name)); // another thread may be faster
        left.remove(name);
      }
    }
    if (left.isEmpty()) {
      DirectoryDeleter.delete(at.disk(), dir);
    }
  }

  @Override
  public void writePartial(
      JobDirectory at, AnsweredTask of, PartialOutput partial, UnsyncedChanges unsynced)
      throws IOException {
    append(
        at,
        of,
        StrictUtf8.bytes(
            Json.write(
                    JsonObject.create()
                        .put("task", of.task())
                        .put("attempt", of.attempt())
                        .putIfPresent("partial", partial.output())
                        .putIfPresent("receipt", Json.requireDepth(partial.receipt(), "a receipt")))
                + "\n"),
        unsynced);
  }

  @Override
  public @Nullable String partial(JobDirectory at, TaskSnapshot task) throws IOException {
    Path file = at.file(path(task, RESULTS));
    if (at.disk().kind(file) != Disk.Kind.FILE) {
      return null;
    }
    long from = Math.max(0, at.disk().size(file) - MAX_TAIL);
    String tail = new String(at.disk().read(file, from, MAX_TAIL), StandardCharsets.UTF_8);
    return tail.lines().toList().reversed().stream()
        .map(line -> partial(line, task.task()))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** The partial output of that task in a line; a line cut by the limit or a crash has none. */
  private static @Nullable String partial(String line, int task) {
    try {
      JsonObject in = Json.object(line);
      return in.has("partial") && in.integer("task") == task ? in.string("partial") : null;
    } catch (JsonException e) {
      return null;
    }
  }

  /** Returns the offset at which the line starts. */
  private long append(JobDirectory at, AnsweredTask of, byte[] line, UnsyncedChanges unsynced)
      throws IOException {
    Path file = at.file(path(of.stage(), of.type(), RESULTS));
    if (named.add(of.stage())) {
      // The process that created them may have been killed before their names were synced.
      directory(at, of.stage(), of.type(), unsynced);
      unsynced.addDirectory(file.getParent());
    }
    long offset = at.disk().kind(file) == Disk.Kind.FILE ? at.disk().size(file) : 0;
    at.disk().append(file, line);
    unsynced.addFile(file);
    return offset;
  }

  /** A stage without tasks of its own has no directory yet. */
  private static void directory(JobDirectory at, int stage, String type, UnsyncedChanges unsynced)
      throws IOException {
    Path stages = at.file("stages");
    Path dir = at.file(path(stage, type, RESULTS)).getParent();
    for (Path each : List.of(stages, dir)) {
      if (at.disk().kind(each) == Disk.Kind.NOTHING) {
        at.disk().createDirectory(each);
      }
      unsynced.addDirectory(each.getParent());
    }
  }

  @Override
  public @Nullable TaskResult result(JobDirectory at, TaskSnapshot task) throws IOException {
    TaskFold fold = task.fold();
    if (fold.state() != TaskState.COMPLETED || fold.stored().length() == 0) {
      return null;
    }
    Path file = at.file(path(task, RESULTS));
    CachedFileRegion region = region(task.stage());
    JsonObject line =
        Json.object(
            StrictUtf8.of(
                file,
                region.read(at.disk(), file, fold.stored().offset(), fold.stored().length())));
    return new TaskResult(
        TaskResult.Kind.valueOf(line.string("kind", "RESULT")),
        line.string("result"),
        line.has("receipt") ? line.object("receipt") : null);
  }

  @Override
  public void writeFinalFiles(JobDirectory at, JobFold fold, UnsyncedChanges unsynced)
      throws IOException {
    JsonObject meta = JobMetaFile.read(at.disk(), at.dir());
    List<String> artifacts = new ArrayList<>();
    for (StageFold stage : fold.stages()) {
      if (stage.count(TaskState.COMPLETED) > 0) {
        artifacts.add(path(stage, RESULTS));
      }
    }
    if (fold.state() == JobState.FAILED) {
      at.disk().write(at.file(PlainJobFiles.ERROR), StrictUtf8.bytes(error(fold) + "\n"));
      unsynced.addFile(at.file(PlainJobFiles.ERROR)).addDirectory(at.dir());
    }
    JobMetaFile.complete(meta, fold, artifacts, 0);
    JobFiles.prepare(at, JobMetaFile.FILE, JobMetaFile.bytes(meta), unsynced);
  }

  private static String error(JobFold fold) {
    for (StageFold stage : fold.stages()) {
      if (stage.error() != null) {
        return "stage " + stage.number() + " (" + stage.plan().type() + "): " + stage.error();
      }
    }
    return "failed";
  }

  @Override
  public JobUpdate.TemplateResolver templateResolver(
      JobDirectory at, JobFold fold, UnsyncedChanges unsynced) {
    return new TemplateRenderer(at, this, fold, unsynced);
  }
}
