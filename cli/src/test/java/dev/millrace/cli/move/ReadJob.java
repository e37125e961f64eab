package dev.millrace.cli.move;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.move.EntryPositions;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.OutputChunk;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Everything that a reader says about a job, wherever it is stored. */
record ReadJob(
    JobView view,
    Optional<JobSpec> spec,
    List<TaskView> tasks,
    List<LogEntry> log,
    Map<String, String> partialOutput,
    Map<String, List<OutputChunk>> outputSoFar) {

  static Map<JobId, ReadJob> all(JobReader reader) {
    Map<JobId, ReadJob> all = new LinkedHashMap<>();
    reader.list(Query.all()).forEach(id -> all.put(id, of(reader, id)));
    return all;
  }

  static ReadJob of(JobReader reader, JobId id) {
    JobView view = reader.find(id).orElseThrow();
    List<TaskView> tasks = new ArrayList<>();
    Map<String, String> partial = new LinkedHashMap<>();
    Map<String, List<OutputChunk>> output = new LinkedHashMap<>();
    for (StageView stage : view.stages()) {
      for (TaskView task : reader.tasks(id, stage.number(), 1, Integer.MAX_VALUE)) {
        tasks.add(task);
        String key = task.stage() + "/" + task.task();
        reader
            .partialOutput(id, task.stage(), task.task())
            .ifPresent(text -> partial.put(key, text));
        List<OutputChunk> chunks = chunks(reader, id, task);
        if (!chunks.isEmpty()) {
          output.put(key, chunks);
        }
      }
    }
    return new ReadJob(view, reader.spec(id), tasks, log(reader, id), partial, output);
  }

  private static List<OutputChunk> chunks(JobReader reader, JobId id, TaskView task) {
    List<OutputChunk> chunks = new ArrayList<>();
    for (OutputSoFar part = reader.outputSoFar(id, task.stage(), task.task(), 0);
        !part.pieces().isEmpty();
        part = reader.outputSoFar(id, task.stage(), task.task(), part.next())) {
      chunks.addAll(part.pieces());
    }
    return chunks;
  }

  private static List<LogEntry> log(JobReader reader, JobId id) {
    List<LogEntry> log = new ArrayList<>();
    for (List<LogEntry> page = reader.events(id, 0, 1_000);
        !page.isEmpty();
        page = reader.events(id, log.getLast().number(), 1_000)) {
      page.forEach(entry -> log.add(EntryPositions.leaveOut(entry)));
    }
    return log;
  }
}
