package dev.millrace.store.fs.internal.move;

import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobFiles.TaskSnapshot;
import dev.millrace.store.fs.internal.files.LogLines;
import dev.millrace.store.fs.internal.files.PlainJobFiles;
import dev.millrace.store.fs.internal.files.StagedJobFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The last output that workers reported for tasks without a result. */
final class PartialOutputs {
  private final JobDirectory at;
  private final Consumer<JobRecord> records;

  PartialOutputs(JobDirectory at, Consumer<JobRecord> records) {
    this.at = at;
    this.records = records;
  }

  void write(JobFiles files, StageFold stage) throws IOException {
    if (stage.count(TaskState.COMPLETED) == stage.size()) {
      return;
    }
    if (files instanceof PlainJobFiles plain) {
      String output = plain.partial(at, TaskSnapshot.of(stage, 1));
      accept(1, 1, output, plain.keptReceipt(at, stage.task(1)));
      return;
    }
    Path file = at.file(StagedJobFiles.path(stage.number(), stage.plan().type(), "results.jsonl"));
    if (at.disk().kind(file) == Disk.Kind.FILE) {
      for (Map.Entry<Integer, long[]> last : last(file, stage).entrySet()) {
        byte[] line = at.disk().read(file, last.getValue()[0], (int) last.getValue()[1]);
        JsonObject json = partial(new String(line, StandardCharsets.UTF_8));
        if (json != null) {
          accept(
              stage.number(),
              last.getKey(),
              json.string("partial", null),
              json.has("receipt") ? json.object("receipt") : null);
        }
      }
    }
  }

  private void accept(int stage, int task, @Nullable String output, @Nullable JsonObject receipt) {
    if (output != null || receipt != null) {
      records.accept(new JobRecord.Partial(stage, task, output, receipt));
    }
  }

  /** Where the last lines are that are not results, by task; a line may be large. */
  private Map<Integer, long[]> last(Path file, StageFold stage) throws IOException {
    Map<Integer, long[]> found = new TreeMap<>();
    LogLines lines = new LogLines(at.disk(), file, 0, Long.MAX_VALUE);
    long start = 0;
    while (lines.next()) {
      JsonObject json = partial(lines.text());
      if (json != null) {
        int task = (int) json.integer("task", 0);
        if (stage.hasTask(task) && stage.task(task).state() != TaskState.COMPLETED) {
          found.put(task, new long[] {start, lines.length()});
        }
      }
      start = lines.nextOffset();
    }
    return found;
  }

  private static @Nullable JsonObject partial(String line) {
    try {
      JsonObject json = Json.object(line);
      return json.has("result") ? null : json;
    } catch (JsonException e) {
      return null; // a crash cut it short
    }
  }
}
