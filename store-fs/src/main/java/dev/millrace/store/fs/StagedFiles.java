package dev.millrace.store.fs;

import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.Fact.Detail;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.JobPlan;
import dev.millrace.core.rules.JobPlan.StagePlan;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.TaskFold;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.template.Template;
import dev.millrace.core.template.TemplateException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job of stages: {@code job.json}, and for each stage a directory with {@code tasks.jsonl} and
 * {@code results.jsonl}. A batch of 50,000 prompts is two files.
 */
final class StagedFiles implements JobFiles {
  static final String TASKS = "tasks.jsonl";
  static final String TEMPLATES = "templates.jsonl";
  private static final String RESULTS = "results.jsonl";
  private static final String JOURNAL = "journal";
  private static final String SUFFIX = ".jsonl";

  private final JobHeader header;
  private final JobPlan plan;
  private final JobSpec bare;
  private final Map<String, LineFile> lines = new HashMap<>();
  private final Map<Integer, Region> results = new HashMap<>();
  private final Set<Integer> named = new HashSet<>();

  /**
   * @param bare what was asked, without the tasks that stand in files of their own
   */
  StagedFiles(JobHeader header, JobPlan plan, JobSpec bare) {
    this.header = header;
    this.plan = plan;
    this.bare = bare;
  }

  static String path(int number, String type, String file) {
    return "stages/" + number + "-" + type + "/" + file;
  }

  private String path(int number, String file) {
    return path(number, plan.stages().get(number - 1).type(), file);
  }

  @Override
  public JobHeader header() {
    return header;
  }

  @Override
  public JobPlan plan() {
    return plan;
  }

  @Override
  public JsonObject data(int stage) {
    return bare.stages().get(stage - 1).data();
  }

  @Override
  public JobSpec spec(At at) throws IOException {
    List<StageSpec> whole = new ArrayList<>();
    for (int number = 1; number <= plan.stages().size(); number++) {
      StageSpec stage = bare.stages().get(number - 1);
      StagePlan shape = plan.stages().get(number - 1);
      List<TaskSpec> given = new ArrayList<>();
      LineFile file = lines(path(number, shape.template() ? TEMPLATES : TASKS));
      for (int task = 1; task <= shape.tasks(); task++) {
        given.add(given(at, file, task));
      }
      whole.add(
          new StageSpec(
              stage.type(),
              stage.gate(),
              stage.tolerance(),
              stage.policy(),
              given,
              stage.each(),
              stage.data()));
    }
    return new JobSpec(
        bare.name(),
        bare.priority(),
        bare.held(),
        bare.parent(),
        bare.retryOf(),
        bare.tags(),
        bare.metadata(),
        whole);
  }

  @Override
  public @Nullable Object input(At at, int stage, int task) throws IOException {
    try {
      return given(at, lines(path(stage, TASKS)), task).input();
    } catch (NoSuchFileException e) {
      return asked(at, stage, task); // never rendered
    }
  }

  @Override
  public @Nullable Object asked(At at, int stage, int task) throws IOException {
    boolean template = plan.stages().get(stage - 1).template();
    LineFile file = lines(path(stage, template ? TEMPLATES : TASKS));
    return given(at, file, task).input();
  }

  private static TaskSpec given(At at, LineFile file, int task) throws IOException {
    try {
      return JobDocument.task(Json.parse(file.line(at, task)), "task " + task);
    } catch (IllegalArgumentException | JsonException e) {
      throw new Malformed(file + ", line " + task + ": " + e.getMessage());
    }
  }

  private Region region(int stage) {
    synchronized (results) {
      return results.computeIfAbsent(stage, n -> new Region());
    }
  }

  private LineFile lines(String path) {
    synchronized (lines) {
      return lines.computeIfAbsent(path, LineFile::new);
    }
  }

  @Override
  public Detail.Completed deliver(At at, Delivery of, TaskResult result, Dirty dirty)
      throws IOException {
    JsonObject line = JsonObject.create().put("task", of.task()).put("attempt", of.attempt());
    if (result.kind() != TaskResult.Kind.RESULT) {
      line.put("kind", result.kind().name());
    }
    line.put("result", result.text()).putIfPresent("receipt", result.receipt());
    byte[] bytes = Text.bytes(Json.write(line) + "\n");
    return new Detail.Completed(append(at, of.stage(), bytes, dirty), bytes.length);
  }

  @Override
  public void delivered(At at) {}

  @Override
  public void keepLate(At at, Delivery of, Partial partial) throws IOException {
    keepPartial(at, of, partial, new Dirty());
  }

  @Override
  public Path journal(At at, int stage, int task) {
    return at.file(path(stage, JOURNAL)).resolve(task + SUFFIX);
  }

  @Override
  public void tidy(At at, JobFold fold) throws IOException {
    for (StageFold stage : fold.stages()) {
      Path dir = at.file(path(stage.number(), JOURNAL));
      if (at.disk().kind(dir) == Disk.Kind.DIRECTORY) {
        tidy(at, stage, dir);
      }
    }
  }

  private static void tidy(At at, StageFold stage, Path dir) throws IOException {
    if (stage.count(TaskState.COMPLETED) == stage.size()) {
      Trees.delete(at.disk(), dir);
      return;
    }
    Set<String> left = new HashSet<>();
    at.disk().list(dir, left::add);
    for (int task = 1; task <= stage.size(); task++) {
      String name = task + SUFFIX;
      if (stage.task(task).state() == TaskState.COMPLETED && left.contains(name)) {
        at.disk().delete(dir.resolve(name));
        left.remove(name);
      }
    }
    if (left.isEmpty()) {
      Trees.delete(at.disk(), dir);
    }
  }

  @Override
  public void keepPartial(At at, Delivery of, Partial partial, Dirty dirty) throws IOException {
    append(
        at,
        of.stage(),
        Text.bytes(
            Json.write(
                    JsonObject.create()
                        .put("task", of.task())
                        .put("attempt", of.attempt())
                        .putIfPresent("partial", partial.output())
                        .putIfPresent("receipt", partial.receipt()))
                + "\n"),
        dirty);
  }

  /** Answers where the line begins. */
  private long append(At at, int stage, byte[] line, Dirty dirty) throws IOException {
    Path file = at.file(path(stage, RESULTS));
    if (named.add(stage)) {
      // Whoever made them before us may have been killed before their names were synced.
      directory(at, stage, dirty);
      dirty.directory(file.getParent());
    }
    long offset = at.disk().kind(file) == Disk.Kind.FILE ? at.disk().size(file) : 0;
    at.disk().append(file, line);
    dirty.file(file);
    return offset;
  }

  /** An "each" stage brought no directory of its own. */
  private void directory(At at, int stage, Dirty dirty) throws IOException {
    Path stages = at.file("stages");
    Path dir = at.file(path(stage, RESULTS)).getParent();
    for (Path each : List.of(stages, dir)) {
      if (at.disk().kind(each) == Disk.Kind.NOTHING) {
        at.disk().createDirectory(each);
      }
      dirty.directory(each.getParent());
    }
  }

  @Override
  public @Nullable TaskResult result(At at, int stage, int task, TaskFold fold) throws IOException {
    if (fold.state() != TaskState.COMPLETED || fold.resultLength() == 0) {
      return null;
    }
    Path file = at.file(path(stage, RESULTS));
    JsonObject line =
        Json.object(
            Text.of(
                file, region(stage).read(at.disk(), file, fold.resultAt(), fold.resultLength())));
    return new TaskResult(
        TaskResult.Kind.valueOf(line.string("kind", "RESULT")),
        line.string("result"),
        line.has("receipt") ? line.object("receipt") : null);
  }

  @Override
  public void finish(At at, JobFold fold, Dirty dirty) throws IOException {
    JsonObject meta = Meta.read(at.disk(), at.dir());
    List<String> artifacts = new ArrayList<>();
    for (StageFold stage : fold.stages()) {
      if (stage.count(TaskState.COMPLETED) > 0) {
        artifacts.add(path(stage.number(), RESULTS));
      }
    }
    if (fold.state() == JobState.FAILED) {
      String error =
          fold.stages().stream()
              .filter(stage -> stage.error() != null)
              .map(
                  stage ->
                      "stage "
                          + stage.number()
                          + " ("
                          + stage.plan().type()
                          + "): "
                          + stage.error())
              .findFirst()
              .orElse("failed");
      at.disk().write(at.file(PlainFiles.ERROR), Text.bytes(error + "\n"));
      dirty.file(at.file(PlainFiles.ERROR)).directory(at.dir());
    }
    Meta.complete(meta, fold, artifacts, 0);
    JobFiles.prepare(at, Meta.FILE, Meta.bytes(meta), dirty);
  }

  @Override
  public Turn.Openings openings(At at, JobFold fold, Dirty dirty) {
    return stage -> {
      try {
        return new Fact.Opening(render(at, fold, stage, dirty), null);
      } catch (TemplateException | JsonException | Malformed e) {
        return new Fact.Opening(stage.size(), e.getMessage());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  /** Writes the rendered tasks; a file from an opening that a crash undid is replaced. */
  private int render(At at, JobFold fold, StageFold stage, Dirty dirty) throws IOException {
    int number = stage.number();
    EarlierResults earlier = new EarlierResults(at, this, fold, number);
    List<JsonObject> rendered = new ArrayList<>();
    String each = bare.stages().get(number - 1).each();
    if (each != null) {
      StageFold previous = fold.stage(number - 1);
      for (int task = 1; task <= previous.size(); task++) {
        if (previous.task(task).state() == TaskState.COMPLETED) {
          rendered.add(task(Template.render(each, earlier, task)));
        }
      }
    } else {
      LineFile templates = lines(path(number, TEMPLATES));
      for (int task = 1; task <= stage.size(); task++) {
        TaskSpec given = given(at, templates, task);
        rendered.add(
            given.template()
                ? task(Template.render((String) given.input(), earlier, 0))
                : JobDocument.task(given));
      }
    }
    directory(at, number, dirty);
    Path file = at.file(path(number, TASKS));
    at.disk().write(file, LineFile.bytes(rendered));
    dirty.file(file).directory(file.getParent());
    synchronized (lines) {
      lines.remove(path(number, TASKS));
    }
    return rendered.size();
  }

  private static JsonObject task(String input) {
    return JobDocument.task(TaskSpec.of(input));
  }
}
