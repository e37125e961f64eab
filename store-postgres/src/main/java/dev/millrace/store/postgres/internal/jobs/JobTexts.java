package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.Fact.Opening;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.template.StageTemplate;
import dev.millrace.core.template.StageTemplateException;
import dev.millrace.store.postgres.internal.jobs.PostgresJob.At;
import dev.millrace.store.postgres.internal.rows.ResultRows;
import dev.millrace.store.postgres.internal.rows.TaskRows;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The texts of tasks and results of jobs that change: those that are stored, and those that will be. */
final class JobTexts {
  private final TaskRows tasks;
  private final ResultRows results;

  /** Where results are until their copies are written: a copy's key, and its source's. */
  private final Map<Long, Long> copies;

  /** The job that has these sources, by its key. */
  private final long source;

  JobTexts(TaskRows tasks, ResultRows results) {
    this(tasks, results, Map.of(), 0);
  }

  private JobTexts(TaskRows tasks, ResultRows results, Map<Long, Long> copies, long source) {
    this.tasks = tasks;
    this.results = results;
    this.copies = copies;
    this.source = source;
  }

  /** The same for a new job, whose results are copies that are not written yet. */
  JobTexts withCopies(Map<Long, Long> sources, long job) {
    return new JobTexts(tasks, results, sources, job);
  }

  /** A task as it is stored, or will be. */
  TaskRow task(PostgresJob job, int stage, int task) {
    TaskRow unwritten = job.unwritten().get(new At(stage, task));
    if (unwritten != null) {
      return unwritten;
    }
    return tasks
        .task(job.row(), stage, task)
        .orElseThrow(
            () -> new IllegalStateException("task " + stage + "/" + task + " has no text"));
  }

  /** Renders the templates of a stage that opens, all of them or none. */
  Opening open(PostgresJob job, StageFold stage) {
    List<TaskRow> rendered = new ArrayList<>();
    try {
      Earlier earlier = new Earlier(job, stage.number());
      for (TaskRow row : given(job, stage)) {
        TaskSpec given = row.given();
        if (given != null && given.template()) {
          String text = StageTemplate.render((String) given.input(), earlier, 0);
          rendered.add(new TaskRow(row.stage(), row.task(), given, given.rendered(text)));
        } else {
          rendered.add(row);
        }
      }
      String each = stage.plan().spec().each();
      List<@Nullable String> before = each == null ? List.of() : earlier.of(stage.number() - 1);
      for (int task = 1; each != null && task <= before.size(); task++) {
        if (before.get(task - 1) != null) {
          TaskSpec spec = TaskSpec.of(StageTemplate.render(each, earlier, task));
          rendered.add(new TaskRow(stage.number(), rendered.size() + 1, null, spec));
        }
      }
    } catch (StageTemplateException e) {
      return new Opening(stage.size(), e.getMessage());
    }
    rendered.forEach(row -> job.unwritten().put(new At(row.stage(), row.task()), row));
    return new Opening(rendered.size(), null);
  }

  private List<TaskRow> given(PostgresJob job, StageFold stage) {
    int number = stage.number();
    Map<Integer, TaskRow> all = new HashMap<>();
    if (job.key() != 0) {
      tasks.tasks(job.row(), number, 1, Integer.MAX_VALUE).forEach(row -> all.put(row.task(), row));
    }
    job.unwritten().values().stream()
        .filter(row -> row.stage() == number)
        .forEach(row -> all.put(row.task(), row));
    List<TaskRow> given = new ArrayList<>();
    for (int task = 1; all.containsKey(task); task++) {
      TaskRow row = all.get(task);
      if (row.given() != null) { // else an earlier opening made it
        given.add(row);
      }
    }
    return given;
  }

  /** The results of earlier stages, read when a template refers to them. */
  private final class Earlier implements StageTemplate.Results {
    private final PostgresJob job;
    private final int stage;
    private final Map<Integer, List<@Nullable String>> read = new HashMap<>();

    Earlier(PostgresJob job, int stage) {
      this.job = job;
      this.stage = stage;
    }

    @Override
    public int stage() {
      return stage;
    }

    @Override
    public List<@Nullable String> of(int number) {
      return read.computeIfAbsent(number, this::load);
    }

    private List<@Nullable String> load(int number) {
      JobFold fold = job.fold();
      StageFold of = fold.stage(number);
      List<Long> keys = new ArrayList<>();
      for (int task = 1; task <= of.size(); task++) {
        keys.add(of.task(task).state() == TaskState.COMPLETED ? source(of, task) : 0L);
      }
      Map<Long, TaskResult> found = results(keys);
      List<@Nullable String> texts = new ArrayList<>();
      for (long key : keys) {
        TaskResult result = found.get(key);
        texts.add(result == null ? null : result.text());
      }
      return texts;
    }

    /** Those of the job itself, and those that will be copied from another one. */
    private Map<Long, TaskResult> results(List<Long> keys) {
      Map<Long, TaskResult> found = new HashMap<>();
      job.unwrittenResults().forEach((key, row) -> found.put(key, row.result()));
      if (source != 0) {
        found.putAll(results.results(source, keys));
      }
      if (job.key() != 0) {
        found.putAll(results.results(job.key(), keys));
      }
      return found;
    }

    private long source(StageFold of, int task) {
      long key = of.task(task).stored().offset();
      return copies.getOrDefault(key, key);
    }

    @Override
    public String input(int number, int task) {
      Object input = task(job, number, task).spec().input();
      return input instanceof String text ? text : Json.write(input);
    }
  }
}
