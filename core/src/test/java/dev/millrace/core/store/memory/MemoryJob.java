package dev.millrace.core.store.memory;

import dev.millrace.core.event.Fact.Opening;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.internal.store.TaskJournal;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.template.StageTemplate;
import dev.millrace.core.template.StageTemplateException;
import dev.millrace.core.time.LogTimes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A kept job: its specification, its log, and the texts of its inputs and results. */
final class MemoryJob {
  private record At(int stage, int task) {}

  /**
   * A result belongs to its claim: that of a late worker must not replace another's. An adopted one
   * has none.
   */
  private record ResultKey(int stage, int task, @Nullable FencingToken claim) {}

  final JobId id;
  final JobSpec submitted;
  final Instant createdAt;
  final List<LogEntry> log = new ArrayList<>();
  private final List<List<TaskSpec>> given = new ArrayList<>();
  private final List<List<TaskSpec>> tasks = new ArrayList<>();
  private final Map<ResultKey, TaskResult> results = new HashMap<>();
  private final Map<At, Journal> journals = new HashMap<>();
  private @Nullable JobFold fold;

  /** Output so far, the log entry that it belongs to, and what the last claim added. */
  private record Journal(
      FencingToken entry,
      List<OutputChunk> pieces,
      FencingToken last,
      boolean grew,
      boolean waits) {}

  MemoryJob(JobId id, JobSpec spec, Instant createdAt) {
    this.id = id;
    // Written to its document and read back, as every durable store does.
    this.submitted =
        JobDocument.read(Json.object(Json.write(JobDocument.write(spec, true))), JobDocument.INLINE)
            .withSubmittedBy(spec.submittedBy());
    this.createdAt = createdAt;
    submitted.stages().forEach(stage -> add(given.size() + 1, stage.tasks()));
  }

  /** The job as submitted, with all that was added since. */
  JobSpec spec() {
    return submitted.withStages(
        fold().stages().stream()
            .map(stage -> stage.plan().spec().withTasks(given.get(stage.number() - 1)))
            .toList());
  }

  /** Adds tasks to a stage, which may be new. */
  void add(int stage, List<TaskSpec> more) {
    while (given.size() < stage) {
      given.add(new ArrayList<>());
      tasks.add(new ArrayList<>());
    }
    for (TaskSpec task : more) {
      TaskSpec kept = JobDocument.task(Json.parse(Json.write(JobDocument.task(task))), "task");
      given.get(stage - 1).add(kept);
      tasks.get(stage - 1).add(kept);
    }
  }

  /** What the log adds up to. */
  JobFold fold() {
    if (fold == null) {
      fold = emptyFold(TransitionListener.IGNORED, LogTimes.AS_LOGGED);
    }
    log.subList((int) fold.lastNumber(), log.size()).forEach(fold::apply);
    return fold;
  }

  JobFold emptyFold(TransitionListener listener, LogTimes times) {
    return JobFold.created(JobPlan.of(submitted, createdAt), listener, times);
  }

  /** A task as submitted or, for a template, as rendered. */
  TaskSpec task(int stage, int task) {
    return tasks.get(stage - 1).get(task - 1);
  }

  /** The result of a completed task. */
  @Nullable TaskResult result(StageFold stage, int task) {
    return stage.task(task).state() == TaskState.COMPLETED
        ? results.get(new ResultKey(stage.number(), task, stage.task(task).token()))
        : null;
  }

  void keep(ClaimKey key, TaskResult result) {
    // As every durable store keeps it.
    JsonObject receipt = result.receipt();
    results.put(
        new ResultKey(key.stage(), key.task(), key.token()),
        receipt == null ? result : result.withReceipt(Json.object(Json.write(receipt))));
  }

  /** Keeps a result of an earlier job, which no claim of this one produced. */
  void adopt(int stage, int task, TaskResult result) {
    results.put(new ResultKey(stage, task, null), result);
  }

  boolean isGiven(int stage, int task) {
    return task <= given.get(stage - 1).size() && !given.get(stage - 1).get(task - 1).template();
  }

  /** What was journaled under that entry. */
  List<OutputChunk> output(int stage, int task, @Nullable FencingToken entry) {
    Journal journal = journals.get(new At(stage, task));
    return journal != null && journal.entry().equals(entry) ? journal.pieces() : List.of();
  }

  TaskJournal journal(StageFold stage, int task) {
    FencingToken entry = stage.task(task).journalKey();
    Journal journal = journals.get(new At(stage.number(), task));
    return journal == null || !journal.entry().equals(entry)
        ? TaskJournal.EMPTY
        : new TaskJournal(
            OutputChunk.joined(journal.pieces()), journal.last(), journal.grew(), journal.waits());
  }

  void journal(ClaimKey key, FencingToken entry, OutputChunk piece) {
    At at = new At(key.stage(), key.task());
    List<OutputChunk> all = new ArrayList<>(output(key.stage(), key.task(), entry));
    if (!piece.isEmpty()) {
      all.add(piece);
    }
    Journal before = journals.get(at);
    boolean grew =
        before != null
            && before.entry().equals(entry)
            && before.last().equals(key.token())
            && before.grew();
    journals.put(
        at, new Journal(entry, all, key.token(), grew || !piece.tokens().isEmpty(), piece.waits()));
  }

  /** Renders the templates of a stage that opens, all of them or none. */
  Opening open(JobFold now, StageFold stage) {
    Texts texts = new Texts(now, stage.number());
    List<TaskSpec> rendered = new ArrayList<>();
    try {
      // a stage that is just being added has no tasks to render
      for (TaskSpec task :
          stage.number() > given.size() ? List.<TaskSpec>of() : given.get(stage.number() - 1)) {
        rendered.add(
            task.template()
                ? task.rendered(StageTemplate.render((String) task.input(), texts, 0))
                : task);
      }
      String each = stage.plan().spec().each();
      List<@Nullable String> before = texts.of(stage.number() - 1);
      for (int task = 1; each != null && task <= before.size(); task++) {
        if (before.get(task - 1) != null) {
          rendered.add(TaskSpec.of(StageTemplate.render(each, texts, task)));
        }
      }
    } catch (StageTemplateException e) {
      return new Opening(stage.size(), e.getMessage());
    }
    add(stage.number(), List.of());
    tasks.set(stage.number() - 1, rendered);
    return new Opening(rendered.size(), null);
  }

  private final class Texts implements StageTemplate.Results {
    private final JobFold now;
    private final int stage;

    Texts(JobFold now, int stage) {
      this.now = now;
      this.stage = stage;
    }

    @Override
    public int stage() {
      return stage;
    }

    @Override
    public List<@Nullable String> of(int earlier) {
      List<@Nullable String> texts = new ArrayList<>();
      for (int task = 1; task <= tasks.get(earlier - 1).size(); task++) {
        TaskResult result = result(now.stage(earlier), task);
        texts.add(result == null ? null : result.text());
      }
      return texts;
    }

    @Override
    public String input(int earlier, int task) {
      Object input = task(earlier, task).input();
      return input instanceof String text ? text : Json.write(input);
    }
  }
}
