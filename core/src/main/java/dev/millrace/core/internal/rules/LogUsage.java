package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Fact;
import dev.millrace.core.job.JobDocument;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** How much users and workers have added to a job's log, for {@link LogLimits}. */
final class LogUsage {
  private static final int[] NONE = {};

  private long bytes;
  private int additions;
  private long logBytes;

  /** Bytes of worker log of each task, by stage: there may be 200,000 tasks. */
  private final Map<Integer, int[]> taskLogs = new HashMap<>();

  LogUsage() {}

  LogUsage(LogUsage from) {
    bytes = from.bytes;
    additions = from.additions;
    logBytes = from.logBytes;
    from.taskLogs.forEach((stage, logs) -> taskLogs.put(stage, logs.clone()));
  }

  void add(Fact fact) {
    switch (fact) {
      case Fact.StageAdded added -> add(LogLimits.bytes(JobDocument.write(added.spec())));
      case Fact.MetadataReplaced replaced -> add(LogLimits.bytes(replaced.metadata()));
      case Fact.TasksAdded _, Fact.Prioritized _ -> additions++;
      case Fact.WorkerLogLine(int stage, int task, String level, String text) -> {
        int more = LogLimits.bytes(level) + LogLimits.bytes(text);
        logBytes += more;
        addLog(stage, task, more);
      }
      case Fact.Submitted _,
          Fact.JobChanged _,
          Fact.StageChanged _,
          Fact.TaskChanged _,
          Fact.TaskProgressed _,
          Fact.TermsFrozen _ -> {}
    }
  }

  private void add(long more) {
    bytes += more;
    additions++;
  }

  private void addLog(int stage, int task, int more) {
    int[] logs = taskLogs.getOrDefault(stage, NONE);
    if (task >= logs.length) {
      logs = Arrays.copyOf(logs, Math.max(task + 1, 2 * logs.length));
      taskLogs.put(stage, logs);
    }
    logs[task] = (int) Math.min(Integer.MAX_VALUE, (long) logs[task] + more);
  }

  /** Bytes of new metadata and added stages, also of what was replaced since. */
  long bytes() {
    return bytes;
  }

  /** How often the job was added to, described and given another priority. */
  int additions() {
    return additions;
  }

  /** Bytes of worker log. */
  long logBytes() {
    return logBytes;
  }

  /** Bytes of worker log of a task. */
  int logBytes(int stage, int task) {
    int[] logs = taskLogs.getOrDefault(stage, NONE);
    return task < logs.length ? logs[task] : 0;
  }
}
