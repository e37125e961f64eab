package dev.millrace.core.store.memory;

import dev.millrace.core.event.Fact.Opening;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.AttemptProgress;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.template.StageTemplate;
import dev.millrace.core.template.StageTemplateException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A stored job: its specification, its log, and the texts of its inputs and results. */
final class MemoryJob {

  private record At(int stage, int task) {}

  final JobId id;
  final JobSpec submitted;
  final Instant createdAt;
  final List<LogEntry> log = new ArrayList<>();
  private final List<StageSpec> asked = new ArrayList<>();
  private final List<List<TaskSpec>> tasks = new ArrayList<>();
  private final Map<At, TaskResult> results = new HashMap<>();
  private final Map<At, Journal> journals = new HashMap<>();

  /** Output so far, the log entry that it belongs to, and what the last claim added. */
  record Journal(FencingToken entry, List<OutputChunk> pieces, FencingToken last, boolean grew) {}

  MemoryJob(JobId id, JobSpec spec, Instant createdAt) {
    this.id = id;
    // Written to its document and read back, as every durable store does.
    this.submitted =
        JobDocument.read(
            Json.object(Json.write(JobDocument.write(spec, true))), JobDocument.INLINE);
    this.createdAt = createdAt;
    submitted.stages().forEach(this::add);
  }

  static void requireSmallInputs(String type, List<TaskSpec> tasks) {
    for (TaskSpec task : tasks) {
      if (task.input() instanceof String text
          && text.getBytes(StandardCharsets.UTF_8).length > JobSpec.MAX_PROMPT_BYTES) {
        throw new IllegalArgumentException(
            "input of stage \""
                + type
                + "\" is too large: at most "
                + JobSpec.MAX_PROMPT_BYTES
                + " bytes");
      }
    }
  }

  /** The job as submitted, with all that was added since. */
  JobSpec spec() {
    return submitted.withStages(asked);
  }

  /** Adds a stage with its tasks. */
  void add(StageSpec stage) {
    List<TaskSpec> given = stage.tasks().stream().map(MemoryJob::kept).toList();
    JsonObject written = Json.object(Json.write(JobDocument.write(stage)));
    asked.add(JobDocument.readStage(written, asked.size() + 1).withTasks(given));
    tasks.add(given);
  }

  /** Adds tasks to an existing stage. */
  void add(int stage, List<TaskSpec> more) {
    List<TaskSpec> all = new ArrayList<>(asked.get(stage - 1).tasks());
    more.forEach(task -> all.add(kept(task)));
    asked.set(stage - 1, asked.get(stage - 1).withTasks(all));
    tasks.set(stage - 1, List.copyOf(all));
  }

  private static TaskSpec kept(TaskSpec task) {
    return JobDocument.task(Json.parse(Json.write(JobDocument.task(task))), "task");
  }

  /** Folds the log. */
  JobFold fold() {
    JobFold fold = JobFold.created(JobPlan.of(submitted, createdAt), TransitionListener.IGNORED);
    log.forEach(fold::apply);
    return fold;
  }

  /** A task as submitted or, for a template, as rendered. */
  TaskSpec task(int stage, int task) {
    return tasks.get(stage - 1).get(task - 1);
  }

  @Nullable TaskResult result(int stage, int task) {
    return results.get(new At(stage, task));
  }

  void keep(int stage, int task, TaskResult result) {
    // As every durable store keeps it.
    JsonObject receipt = result.receipt();
    results.put(
        new At(stage, task),
        receipt == null ? result : result.withReceipt(Json.object(Json.write(receipt))));
  }

  /** What was journaled under that entry. */
  List<OutputChunk> journal(int stage, int task, @Nullable FencingToken entry) {
    Journal journal = journals.get(new At(stage, task));
    return journal != null && journal.entry().equals(entry) ? journal.pieces() : List.of();
  }

  void journal(ClaimKey key, FencingToken entry, OutputChunk piece) {
    At at = new At(key.stage(), key.task());
    List<OutputChunk> all = new ArrayList<>(journal(key.stage(), key.task(), entry));
    if (!piece.isEmpty()) {
      all.add(piece);
    }
    Journal before = journals.get(at);
    boolean grew =
        before != null
            && before.entry().equals(entry)
            && before.last().equals(key.token())
            && before.grew();
    journals.put(at, new Journal(entry, all, key.token(), grew || !piece.tokens().isEmpty()));
  }

  /** The progress of the task's last claim, as the journal shows it. */
  AttemptProgress trace(int stage, int task, TaskFold fold) {
    Journal journal = journals.get(new At(stage, task));
    boolean present = journal != null && journal.entry().equals(fold.journalKey());
    return AttemptProgress.of(fold, present ? journal.last() : null, present && journal.grew());
  }

  /** Renders the templates of a stage that opens, all of them or none. */
  Opening open(StageFold stage) {
    Texts texts = new Texts(stage.number());
    List<TaskSpec> rendered = new ArrayList<>();
    try {
      StageSpec spec = asked.get(stage.number() - 1);
      for (TaskSpec task : spec.tasks()) {
        rendered.add(
            task.template()
                ? task.rendered(StageTemplate.render((String) task.input(), texts, 0))
                : task);
      }
      List<@Nullable String> before = texts.of(stage.number() - 1);
      for (int task = 1; spec.each() != null && task <= before.size(); task++) {
        if (before.get(task - 1) != null) {
          rendered.add(TaskSpec.of(StageTemplate.render(spec.each(), texts, task)));
        }
      }
    } catch (StageTemplateException e) {
      return new Opening(stage.size(), e.getMessage());
    }
    tasks.set(stage.number() - 1, rendered);
    return new Opening(rendered.size(), null);
  }

  private final class Texts implements StageTemplate.Results {
    private final int stage;

    Texts(int stage) {
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
        TaskResult result = result(earlier, task);
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
