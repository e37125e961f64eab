package dev.millrace.http.metrics;

import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.model.RemoteModelStatus;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Metrics of models whose layers run on other nodes: whether a model is ready, and its own metrics,
 * under the names that it gives them. A name with the suffix {@code _total} is a counter, any other
 * a gauge.
 */
final class PipeMeter implements MultiCollector {
  private static final String PREFIX = "millrace_pipe_";
  private static final String COUNTER = "_total";

  private final Supplier<InferenceStats> stats;

  PipeMeter(Supplier<InferenceStats> stats) {
    this.stats = stats;
  }

  @Override
  public MetricSnapshots collect() {
    Map<String, Map<Labels, Double>> metrics = new TreeMap<>();
    for (RemoteModelStatus model : stats.get().remoteModels()) {
      Labels labels = Labels.of("model", model.model());
      Map<String, Double> own = new TreeMap<>(model.metrics());
      own.put("ready", model.ready() ? 1.0 : 0.0);
      own.forEach(
          (name, value) -> metrics.computeIfAbsent(name, _ -> new TreeMap<>()).put(labels, value));
    }
    List<MetricSnapshot> snapshots = new ArrayList<>();
    metrics.forEach((name, values) -> snapshots.add(snapshot(name, values)));
    return new MetricSnapshots(snapshots);
  }

  private static MetricSnapshot snapshot(String metric, Map<Labels, Double> values) {
    // removes the suffix of a counter; the text format adds it again
    String name = PrometheusNaming.sanitizeMetricName(PREFIX + metric);
    return metric.endsWith(COUNTER) ? counter(name, values) : gauge(name, values);
  }

  private static MetricSnapshot counter(String name, Map<Labels, Double> values) {
    CounterSnapshot.Builder counter = CounterSnapshot.builder().name(name).help(help(name));
    values.forEach(
        (labels, value) ->
            counter.dataPoint(
                CounterDataPointSnapshot.builder().labels(labels).value(value).build()));
    return counter.build();
  }

  private static MetricSnapshot gauge(String name, Map<Labels, Double> values) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help(name));
    values.forEach(
        (labels, value) ->
            gauge.dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(value).build()));
    return gauge.build();
  }

  private static String help(String name) {
    String metric = name.substring(PREFIX.length()).replace('_', ' ');
    return "Of a model with layers on other nodes: " + metric + ".";
  }
}
