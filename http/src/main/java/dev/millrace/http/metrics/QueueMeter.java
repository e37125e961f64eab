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
 * What waits and what runs, from one look at the store for each question. Gauges that begin with
 * {@code jobnik_} are those of a Jobnik service. Of tasks there are those of open stages only: a
 * store does not count what is over. {@code jobnik_stages_by_status} is missing for the same reason;
 * it would take reading every job. What ends while the server runs is counted by {@link JobMeter}.
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

  /** One gauge as it is put together; equal labels add up, or the largest counts. */
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

    void most(double value, String... labels) {
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
      QueueStats census = store.queueStats();
      return MetricSnapshots.of(
          jobs(census),
          tasksByStatus(census),
          tasksCount(census),
          depth(census),
          oldest(census, clock.instant()));
    } catch (StoreException e) {
      LOG.log(Level.WARNING, "the store could not be counted for the metrics: " + e.getMessage());
      return new MetricSnapshots();
    }
  }

  private static GaugeSnapshot jobs(QueueStats census) {
    Points points = new Points("jobnik_jobs_by_status", "Jobs in each state.");
    for (JobState state : JobState.values()) {
      points.add(census.jobs().getOrDefault(state, 0), "status", state.name());
    }
    return points.snapshot();
  }

  private GaugeSnapshot tasksByStatus(QueueStats census) {
    Points points =
        new Points("jobnik_tasks_by_status", "Tasks of open stages that are not over, by state.");
    for (QueueStats.TypeStats line : census.types()) {
      String type = types.label(line.type());
      each(line, (state, count) -> points.add(count, "task_status", state, "stage_type", type));
    }
    return points.snapshot();
  }

  private GaugeSnapshot tasksCount(QueueStats census) {
    Points points =
        new Points(
            "jobnik_tasks_count", "Tasks of open stages that are not over, by type and priority.");
    for (QueueStats.TypeStats line : census.types()) {
      String type = types.label(line.type());
      String priority = line.priority().name();
      each(
          line,
          (state, count) ->
              points.add(count, "stage_type", type, "priority", priority, "task_status", state));
    }
    return points.snapshot();
  }

  private GaugeSnapshot depth(QueueStats census) {
    Points points =
        new Points("millrace_queue_depth", "Tasks of open stages that wait for a worker or run.");
    for (QueueStats.TypeStats line : census.types()) {
      String type = types.label(line.type());
      String priority = line.priority().name();
      each(
          line,
          (state, count) -> points.add(count, "state", state, "type", type, "priority", priority));
    }
    return points.snapshot();
  }

  private GaugeSnapshot oldest(QueueStats census, Instant now) {
    Points points =
        new Points(
            "millrace_queue_oldest_seconds", "Age of the oldest job that has a task waiting.");
    for (QueueStats.TypeStats line : census.types()) {
      Instant oldest = line.oldest();
      double age = oldest == null ? 0 : Math.max(0, Duration.between(oldest, now).toMillis()) / 1e3;
      points.most(age, "type", types.label(line.type()), "priority", line.priority().name());
    }
    return points.snapshot();
  }

  @FunctionalInterface
  private interface Counting {
    void count(String state, double count);
  }

  private static void each(QueueStats.TypeStats line, Counting counting) {
    counting.count(TaskState.PENDING.name(), line.pending());
    counting.count(TaskState.RETRIED.name(), line.retried());
    counting.count(TaskState.IN_PROGRESS.name(), line.running());
  }
}
