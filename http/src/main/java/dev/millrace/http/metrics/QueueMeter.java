package dev.millrace.http.metrics;

import dev.millrace.core.job.JobState;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.store.stats.StatusCounts.TaskGroup;
import dev.millrace.core.task.TaskState;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Metrics of jobs, stages and tasks by state, from the counts that the store keeps: a scrape reads
 * no job. Gauges with the prefix {@code jobnik_} have the names and labels of a Jobnik service. A
 * group that gets empty stays at 0, so that a graph falls instead of ending. Thread-safe.
 */
final class QueueMeter implements MultiCollector {
  private final Supplier<StatusCounts> source;
  private final BoundedTypeLabels types;
  private final InstantSource clock;

  private final Gauge jobs = new Gauge("jobnik_jobs_by_status", "Jobs in each state.");
  private final Gauge stages = new Gauge("jobnik_stages_by_status", "Stages in each state.");
  private final Gauge tasks = new Gauge("jobnik_tasks_by_status", "Tasks in each state.");
  private final Gauge tasksByPriority =
      new Gauge("jobnik_tasks_count", "Tasks in each state, by type and priority.");
  private final Gauge depth =
      new Gauge("millrace_queue_depth", "Tasks of open stages that wait for a worker or run.");
  private final Gauge oldest =
      new Gauge("millrace_queue_oldest_seconds", "Age of the oldest job that has a task waiting.");
  private final Gauge atGate =
      new Gauge("millrace_jobs_at_gate", "Jobs that wait for nothing but an approval.");
  private final Gauge unreadable =
      new Gauge(
          "millrace_jobs_unreadable",
          "Jobs whose files cannot be read; they are left alone and others run.");
  private final Gauge complete =
      new Gauge(
          "millrace_counts_complete",
          "1 if these gauges count all jobs; 0 while jobs from before the start are being read.");

  QueueMeter(Supplier<StatusCounts> source, BoundedTypeLabels types, InstantSource clock) {
    this.source = source;
    this.types = types;
    this.clock = clock;
    for (JobState state : JobState.values()) {
      jobs.add(0, "job_status", state.name());
    }
    source.get(); // starts to count
  }

  /** A gauge whose label values are bounded; those that were shown once stay. */
  private static final class Gauge {
    private final String name;
    private final String help;
    private final Map<Labels, Double> values = new TreeMap<>();

    Gauge(String name, String help) {
      this.name = name;
      this.help = help;
    }

    void clear() {
      values.replaceAll((_, _) -> 0.0);
    }

    void add(double value, String... labels) {
      values.merge(Labels.of(labels), value, Double::sum);
    }

    void max(double value, String... labels) {
      values.merge(Labels.of(labels), value, Math::max);
    }

    GaugeSnapshot snapshot() {
      GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
      values.forEach(
          (labels, value) ->
              gauge.dataPoint(
                  GaugeDataPointSnapshot.builder().labels(labels).value(value).build()));
      return gauge.build();
    }
  }

  @Override
  public synchronized MetricSnapshots collect() {
    Gauge[] all = {
      jobs, stages, tasks, tasksByPriority, depth, oldest, atGate, unreadable, complete
    };
    for (Gauge gauge : all) {
      gauge.clear();
    }
    count(source.get());
    MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
    for (Gauge gauge : all) {
      snapshots.metricSnapshot(gauge.snapshot());
    }
    return snapshots.build();
  }

  private void count(StatusCounts counts) {
    counts.jobs().forEach((state, count) -> jobs.add(count, "job_status", state.name()));
    counts
        .stages()
        .forEach(
            (group, count) ->
                stages.add(
                    count,
                    "stage_status",
                    group.state().name(),
                    "stage_type",
                    types.label(group.type())));
    counts.tasks().forEach(this::countTasks);
    counts.queue().forEach(this::countQueue);
    Instant now = clock.instant();
    counts
        .oldest()
        .forEach(
            (group, since) ->
                oldest.max(
                    Math.max(0, Duration.between(since, now).toSeconds()),
                    "type",
                    types.label(group.type()),
                    "priority",
                    group.priority().name()));
    atGate.add(counts.atGate());
    unreadable.add(counts.unreadable());
    complete.add(counts.complete() ? 1 : 0);
  }

  private void countTasks(TaskGroup group, long count) {
    String type = types.label(group.type());
    String state = group.state().name();
    String priority = group.priority().name();
    tasks.add(count, "task_status", state, "stage_type", type);
    tasksByPriority.add(count, "stage_type", type, "priority", priority, "task_status", state);
  }

  /** All states of a queue are shown together. */
  private void countQueue(TaskGroup group, long count) {
    String type = types.label(group.type());
    String priority = group.priority().name();
    for (TaskState state :
        new TaskState[] {TaskState.PENDING, TaskState.RETRIED, TaskState.IN_PROGRESS}) {
      depth.add(
          state == group.state() ? count : 0,
          "state",
          state.name(),
          "type",
          type,
          "priority",
          priority);
    }
  }
}
