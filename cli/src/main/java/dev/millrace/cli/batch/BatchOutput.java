package dev.millrace.cli.batch;

import dev.millrace.cli.batch.BatchPlan.Source;
import dev.millrace.cli.batch.BatchSummary.FailedLine;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The output of a batch: a line for each request, in their order, as far as they have ended. */
final class BatchOutput {
  private static final int LONGEST_REASON = 200;

  /** Where lines go. */
  interface Target {
    void append(byte[] line) throws IOException;
  }

  /** Totals of the lines so far. */
  record Totals(int done, int failed, long promptTokens, long completionTokens) {}

  private final BatchFile file;
  private final List<@Nullable Source> sources;
  private final Target target;
  private final AnswerReader answers = new AnswerReader();
  private final List<FailedLine> failures = new ArrayList<>();
  private int done;
  private int failed;
  private long promptTokens;
  private long completionTokens;

  BatchOutput(BatchFile file, List<@Nullable Source> sources, Target target) {
    this.file = file;
    this.sources = sources;
    this.target = target;
  }

  /**
   * Appends the next lines up to the first that has not ended.
   *
   * @param over whether no job runs any more: a task that has not ended then never will
   */
  void advance(JobReader reader, boolean over) throws IOException {
    while (!isComplete()) {
      int next = done + failed;
      Source source = sources.get(next);
      TaskView task = source == null ? null : answers.find(reader, source, over);
      if (task == null) {
        return;
      }
      String text = Json.write(line(file.lines().get(next), source, task)) + "\n";
      target.append(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  boolean isComplete() {
    return done + failed == sources.size();
  }

  Totals totals() {
    return new Totals(done, failed, promptTokens, completionTokens);
  }

  /** The first lines that failed. */
  List<FailedLine> failures() {
    return failures;
  }

  /** The ids derive from the line: another run of the batch gives the same ones. */
  private JsonObject line(BatchLine of, Source source, TaskView task) {
    String key = source.old() ? file.key() + "-" + task.task() : of.identity().key();
    TaskResult result = task.state() == TaskState.COMPLETED ? task.result() : null;
    JsonObject line =
        JsonObject.create().put("id", "batch_req_" + key).put("custom_id", of.customId());
    if (result == null) {
      return line.put("response", null).put("error", error(of, task));
    }
    done++;
    count(result.receipt());
    long created = task.completedAt() == null ? 0 : task.completedAt().getEpochSecond();
    return line.put(
            "response",
            JsonObject.create()
                .put("status_code", 200)
                .put("request_id", "req_" + key)
                .put("body", file.endpoint().body(key, created, result)))
        .put("error", null);
  }

  private void count(@Nullable JsonObject receipt) {
    if (receipt != null) {
      promptTokens += receipt.integer("prompt_tokens", 0);
      completionTokens += receipt.integer("completion_tokens", 0);
    }
  }

  private JsonObject error(BatchLine of, TaskView task) {
    boolean cancelled = task.state() == TaskState.ABORTED;
    String message =
        task.error() != null
            ? task.error()
            : cancelled ? "the batch was aborted" : "no result (state " + task.state() + ")";
    failed++;
    if (failures.size() < BatchSummary.FAILURES_SHOWN) {
      failures.add(
          new FailedLine(of.number(), of.customId(), SanitizedText.line(message, LONGEST_REASON)));
    }
    return JsonObject.create()
        .put("code", cancelled ? "batch_cancelled" : "request_failed")
        .put("message", message);
  }

  /** The numbers in an embedding's text. */
  static @Nullable Object vector(String text) {
    try {
      return Json.object(text).get("vector");
    } catch (JsonException e) {
      return null;
    }
  }
}
