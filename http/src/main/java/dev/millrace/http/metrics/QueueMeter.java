package dev.millrace.http.metrics;

import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.QueueStats;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.TaskState;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;

/**
 * Metrics of waiting and running tasks, read from the store once per scrape. Gauges with the prefix
 * {@code jobnik_} are those of a Jobnik service. Tasks are those of open stages only, because a
 * store does not count ended ones; {@code jobnik_stages_by_status} is missing for the same reason.
 * {@link JobMeter} counts what ends while the server runs.
 */
final class QueueMeter implements MultiCollector {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final JobReader store;
  private final BoundedTypeLabels types;
  private final InstantSource clock;

  QueueMeter(JobReader store, BoundedTypeLabels types, InstantSource clock) {
    this.store = store;
    this.types = types;
    this.clock = clock;
  }

  /** Builds one gauge; values with equal labels are added, or the largest is taken. */
  private static final class Points {
    private final String name;
    private final String help;
    private final Map<Labels, Double> values = new TreeMap<>();

    Points(String name, String help) {
      this.name = name;
      this.help = help;
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
  public MetricSnapshots collect() {
    try {
      QueueStats stats = store.queueStats();
      return MetricSnapshots.of(
          jobs(stats),
          tasksByStatus(stats),
          tasksCount(stats),
          depth(stats),
          oldest(stats, clock.instant()));
    } catch (StoreException e) {
      LOG.log(Level.WARNING, "cannot read queue statistics for the metrics: " + e.getMessage());
      return new MetricSnapshots();
    }
  }

  private static GaugeSnapshot jobs(QueueStats stats) {
    Points points = new Points("jobnik_jobs_by_status", "Jobs in each state.");
    for (JobState state : JobState.values()) {
      points.add(stats.jobs().getOrDefault(state, 0), "status", state.name());
    }
    return points.snapshot();
  }

  private GaugeSnapshot tasksByStatus(QueueStats stats) {
    Points points =
        new Points("jobnik_tasks_by_status", "Tasks of open stages that are not over, by state.");
    for (QueueStats.TypeStats typeStats : stats.types()) {
      String type = types.label(typeStats.type());
      each(
          typeStats, (state, count) -> points.add(count, "task_status", state, "stage_type", type));
    }
    return points.snapshot();
  }

  private GaugeSnapshot tasksCount(QueueStats stats) {
    Points points =
        new Points(
            "jobnik_tasks_count", "Tasks of open stages that are not over, by type and priority.");
    for (QueueStats.TypeStats typeStats : stats.types()) {
      String type = types.label(typeStats.type());
      String priority = typeStats.priority().name();
      each(
          typeStats,
          (state, count) ->
              points.add(count, "stage_type", type, "priority", priority, "task_status", state));
    }
    return points.snapshot();
  }

  private GaugeSnapshot depth(QueueStats stats) {
    Points points =
        new Points("millrace_queue_depth", "Tasks of open stages that wait for a worker or run.");
    for (QueueStats.TypeStats typeStats : stats.types()) {
      String type = types.label(typeStats.type());
      String priority = typeStats.priority().name();
      each(
          typeStats,
          (state, count) -> points.add(count, "state", state, "type", type, "priority", priority));
    }
    return points.snapshot();
  }

  private GaugeSnapshot oldest(QueueStats stats, Instant now) {
    Points points =
        new Points(
            "millrace_queue_oldest_seconds", "Age of the oldest job that has a task waiting.");
    for (QueueStats.TypeStats typeStats : stats.types()) {
      Instant oldest = typeStats.oldest();
      double age = oldest == null ? 0 : Math.max(0, Duration.between(oldest, now).toMillis()) / 1e3;
      points.max(
          age, "type", types.label(typeStats.type()), "priority", typeStats.priority().name());
    }
    return points.snapshot();
  }

  @FunctionalInterface
  private interface StateCount {
    void count(String state, double count);
  }

  private static void each(QueueStats.TypeStats typeStats, StateCount consumer) {
    consumer.count(TaskState.PENDING.name(), typeStats.pending());
    consumer.count(TaskState.RETRIED.name(), typeStats.retried());
    consumer.count(TaskState.IN_PROGRESS.name(), typeStats.running());
  }
}
