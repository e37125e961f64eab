package dev.millrace.core.store;

import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact.Opening;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.JobPlan;
import dev.millrace.core.rules.Moves;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.TaskFold;
import dev.millrace.core.rules.Trace;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.Token;
import dev.millrace.core.template.Template;
import dev.millrace.core.template.TemplateException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a job: what was asked, what happened, and the texts that went in and came out.
 */
final class MemoryJob {

  private record At(int stage, int task) {}

  final JobId id;
  final JobSpec spec;
  final Instant createdAt;
  final List<Entry> log = new ArrayList<>();
  private final Map<Integer, List<@Nullable Object>> inputs = new HashMap<>();
  private final Map<At, TaskResult> results = new HashMap<>();
  private final Map<At, Journal> journals = new HashMap<>();

  /** Output so far, the entry of the log that it belongs to, and what the last claim added. */
  record Journal(Token entry, List<Piece> pieces, Token last, boolean grew) {}

  MemoryJob(JobId id, JobSpec asked, Instant createdAt) {
    this.id = id;
    // Through its document and back, as every durable store keeps it.
    this.spec =
        JobDocument.read(
            Json.object(Json.write(JobDocument.write(asked, true))), JobDocument.INLINE);
    this.createdAt = createdAt;
    for (StageSpec stage : spec.stages()) {
      List<@Nullable Object> given = new ArrayList<>();
      stage.tasks().forEach(task -> given.add(task.input()));
      inputs.put(inputs.size() + 1, given);
    }
  }

  static void requireSmallInputs(JobSpec spec) {
    for (StageSpec stage : spec.stages()) {
      for (TaskSpec task : stage.tasks()) {
        if (task.input() instanceof String text
            && text.getBytes(StandardCharsets.UTF_8).length > JobSpec.MAX_PROMPT_BYTES) {
          throw new IllegalArgumentException(
              "input of stage \""
                  + stage.type()
                  + "\" is too large: at most "
                  + JobSpec.MAX_PROMPT_BYTES
                  + " bytes");
        }
      }
    }
  }

  /** What the log adds up to. */
  JobFold fold() {
    JobFold fold = JobFold.created(JobPlan.of(spec, createdAt), Moves.IGNORED);
    log.forEach(fold::apply);
    return fold;
  }

  @Nullable Object input(int stage, int task) {
    return inputs.get(stage).get(task - 1);
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
  List<Piece> journal(int stage, int task, @Nullable Token entry) {
    Journal journal = journals.get(new At(stage, task));
    return journal != null && journal.entry().equals(entry) ? journal.pieces() : List.of();
  }

  void journal(Hold hold, Token entry, Piece piece) {
    At at = new At(hold.stage(), hold.task());
    List<Piece> all = new ArrayList<>(journal(hold.stage(), hold.task(), entry));
    if (!piece.isEmpty()) {
      all.add(piece);
    }
    Journal before = journals.get(at);
    boolean grew =
        before != null
            && before.entry().equals(entry)
            && before.last().equals(hold.token())
            && before.grew();
    journals.put(at, new Journal(entry, all, hold.token(), grew || !piece.tokens().isEmpty()));
  }

  /** What the journal tells of the task's last claim. */
  Trace trace(int stage, int task, TaskFold fold) {
    Journal journal = journals.get(new At(stage, task));
    boolean present = journal != null && journal.entry().equals(fold.journal());
    return Trace.of(fold, present ? journal.last() : null, present && journal.grew());
  }

  /** Renders the templates of a stage that opens, all of them or none. */
  Opening open(StageFold stage) {
    Texts texts = new Texts(stage.number());
    List<@Nullable Object> rendered = new ArrayList<>();
    try {
      StageSpec asked = spec.stages().get(stage.number() - 1);
      for (TaskSpec task : asked.tasks()) {
        rendered.add(
            task.template() ? Template.render((String) task.input(), texts, 0) : task.input());
      }
      List<@Nullable String> before = texts.of(stage.number() - 1);
      for (int task = 1; asked.each() != null && task <= before.size(); task++) {
        if (before.get(task - 1) != null) {
          rendered.add(Template.render(asked.each(), texts, task));
        }
      }
    } catch (TemplateException e) {
      return new Opening(stage.size(), e.getMessage());
    }
    inputs.put(stage.number(), rendered);
    return new Opening(rendered.size(), null);
  }

  private final class Texts implements Template.Results {
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
      for (int task = 1; task <= inputs.get(earlier).size(); task++) {
        TaskResult result = result(earlier, task);
        texts.add(result == null ? null : result.text());
      }
      return texts;
    }

    @Override
    public String input(int earlier, int task) {
      return MemoryJob.this.input(earlier, task) instanceof String text
          ? text
          : Json.write(MemoryJob.this.input(earlier, task));
    }
  }
}
