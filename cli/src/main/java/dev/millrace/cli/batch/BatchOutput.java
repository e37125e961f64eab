package dev.millrace.cli.batch;

import dev.millrace.cli.format.TaskJson;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Writes the output of a batch: a line for each request, in their order. */
final class BatchOutput {

  /** Totals of the output. */
  record Written(int done, int failed, long promptTokens, long completionTokens) {}

  private final BatchFile file;
  private int done;
  private int failed;
  private long promptTokens;
  private long completionTokens;

  BatchOutput(BatchFile file) {
    this.file = file;
  }

  /** The file that holds an output until it is complete. */
  static Path temporary(Path out) {
    return out.resolveSibling(out.getFileName() + ".tmp");
  }

  /** Writes a file atomically. */
  Written write(JobReader reader, JobId id, Path to) throws IOException {
    Path temporary = temporary(to);
    FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
    try {
      write(reader, id, channel);
      Files.move(
          temporary, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return written();
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(temporary);
      throw e;
    }
  }

  private void write(JobReader reader, JobId id, FileChannel to) throws IOException {
    try (Writer out =
        new BufferedWriter(
            new OutputStreamWriter(Channels.newOutputStream(to), StandardCharsets.UTF_8),
            1 << 16)) {
      write(reader, id, out);
      out.flush();
      to.force(true);
    }
  }

  Written write(JobReader reader, JobId id, Appendable out) throws IOException {
    try {
      TaskJson.each(reader, id, 1, task -> append(out, line(task)));
      return written();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private Written written() {
    return new Written(done, failed, promptTokens, completionTokens);
  }

  private static void append(Appendable out, JsonObject line) {
    try {
      out.append(Json.write(line)).append('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The ids derive from the file and the line: another run of the batch gives the same ones. */
  private JsonObject line(TaskView task) {
    String key = file.key() + "-" + task.task();
    TaskResult result = task.state() == TaskState.COMPLETED ? task.result() : null;
    JsonObject line =
        JsonObject.create()
            .put("id", "batch_req_" + key)
            .put("custom_id", file.customIds().get(task.task() - 1));
    if (result == null) {
      failed++;
      return line.put("response", null).put("error", error(task));
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

  private static JsonObject error(TaskView task) {
    boolean cancelled = task.state() == TaskState.ABORTED;
    String message =
        task.error() != null
            ? task.error()
            : cancelled ? "the batch was aborted" : "no result (state " + task.state() + ")";
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
