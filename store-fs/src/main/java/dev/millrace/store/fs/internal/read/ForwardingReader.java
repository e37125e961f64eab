package dev.millrace.store.fs.internal.read;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.QueueStats;
import dev.millrace.core.store.TaskView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Forwards all reads to another reader. */
public abstract class ForwardingReader implements JobReader {
  protected abstract JobReader reader();

  @Override
  public final Optional<JobState> state(JobId id) {
    return reader().state(id);
  }

  @Override
  public final Optional<JobView> find(JobId id) {
    return reader().find(id);
  }

  @Override
  public final List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    return reader().tasks(id, stage, from, limit);
  }

  @Override
  public final Optional<TaskView> task(JobId id, int stage, int task) {
    return reader().task(id, stage, task);
  }

  @Override
  public final OutputSoFar outputSoFar(JobId id, int stage, int task, long from) {
    return reader().outputSoFar(id, stage, task, from);
  }

  @Override
  public Optional<QueuePosition> queuePosition(JobId id) {
    return reader().queuePosition(id);
  }

  @Override
  public final List<LogEntry> events(JobId id, long after, int limit) {
    return reader().events(id, after, limit);
  }

  @Override
  public final Optional<JobSpec> spec(JobId id) {
    return reader().spec(id);
  }

  @Override
  public final List<JobId> list(Query query) {
    return reader().list(query);
  }

  @Override
  public final Map<JobState, Integer> counts() {
    return reader().counts();
  }

  @Override
  public QueueStats queueStats() {
    return reader().queueStats();
  }

  @Override
  public final void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    reader().awaitChange(id, atMost);
  }
}
