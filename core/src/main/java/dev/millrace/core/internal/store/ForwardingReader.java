package dev.millrace.core.internal.store;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.stats.QueueHead;
import dev.millrace.core.store.stats.QueueStats;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A reader whose reads are those of another one, except for those that it overrides. */
public interface ForwardingReader extends JobReader {
  JobReader reader();

  @Override
  default Optional<JobState> state(JobId id) {
    return reader().state(id);
  }

  @Override
  default Optional<JobView> find(JobId id) {
    return reader().find(id);
  }

  @Override
  default List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    return reader().tasks(id, stage, from, limit);
  }

  @Override
  default Optional<TaskView> task(JobId id, int stage, int task) {
    return reader().task(id, stage, task);
  }

  @Override
  default OutputSoFar outputSoFar(JobId id, int stage, int task, long from) {
    return reader().outputSoFar(id, stage, task, from);
  }

  @Override
  default Optional<String> partialOutput(JobId id, int stage, int task) {
    return reader().partialOutput(id, stage, task);
  }

  @Override
  default Optional<QueuePosition> queuePosition(JobId id) {
    return reader().queuePosition(id);
  }

  @Override
  default QueueHead queueHead(int limit) {
    return reader().queueHead(limit);
  }

  @Override
  default List<LogEntry> events(JobId id, long after, int limit) {
    return reader().events(id, after, limit);
  }

  @Override
  default Optional<JobSpec> spec(JobId id) {
    return reader().spec(id);
  }

  @Override
  default List<JobId> list(Query query) {
    return reader().list(query);
  }

  @Override
  default Map<JobState, Integer> counts() {
    return reader().counts();
  }

  @Override
  default QueueStats queueStats() {
    return reader().queueStats();
  }

  @Override
  default void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    reader().awaitChange(id, atMost);
  }
}
