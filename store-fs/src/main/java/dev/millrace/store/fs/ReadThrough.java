package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.store.Census;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.TaskView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads what another can read. */
abstract class ReadThrough implements Reading {
  abstract Reading reading();

  @Override
  public final Optional<JobState> state(JobId id) {
    return reading().state(id);
  }

  @Override
  public final Optional<JobView> find(JobId id) {
    return reading().find(id);
  }

  @Override
  public final List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    return reading().tasks(id, stage, from, limit);
  }

  @Override
  public final Optional<TaskView> task(JobId id, int stage, int task) {
    return reading().task(id, stage, task);
  }

  @Override
  public final Draft draft(JobId id, int stage, int task, long from) {
    return reading().draft(id, stage, task, from);
  }

  @Override
  public Optional<QueuePlace> queuePlace(JobId id) {
    return reading().queuePlace(id);
  }

  @Override
  public final List<Entry> events(JobId id, long after, int limit) {
    return reading().events(id, after, limit);
  }

  @Override
  public final Optional<JobSpec> spec(JobId id) {
    return reading().spec(id);
  }

  @Override
  public final List<JobId> list(Query query) {
    return reading().list(query);
  }

  @Override
  public final Map<JobState, Integer> counts() {
    return reading().counts();
  }

  @Override
  public Census census() {
    return reading().census();
  }

  @Override
  public final void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    reading().awaitChange(id, atMost);
  }
}
