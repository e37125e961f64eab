package dev.millrace.server.http.meter;

import dev.millrace.server.infer.InferenceStats;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * How models do whose layers are with others: whether all are there, and what their openings count,
 * under names that those choose. A figure that only grows is a gauge too.
 */
final class PipeMeter implements MultiCollector {
  private static final String PREFIX = "millrace_pipe_";

  private final Supplier<InferenceStats> stats;

  PipeMeter(Supplier<InferenceStats> stats) {
    this.stats = stats;
  }

  @Override
  public MetricSnapshots collect() {
    Map<String, GaugeSnapshot.Builder> gauges = new TreeMap<>();
    for (InferenceStats.Spread model : stats.get().spread()) {
      Labels labels = Labels.of("model", model.model());
      Map<String, Double> figures = new TreeMap<>(model.gauges());
      figures.put("ready", model.ready() ? 1.0 : 0.0);
      figures.forEach(
          (name, value) ->
              gauges
                  .computeIfAbsent(PrometheusNaming.sanitizeMetricName(PREFIX + name), this::gauge)
                  .dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(value).build()));
    }
    List<? extends MetricSnapshot> snapshots =
        gauges.values().stream().map(GaugeSnapshot.Builder::build).toList();
    return new MetricSnapshots(List.copyOf(snapshots));
  }

  private GaugeSnapshot.Builder gauge(String name) {
    String figure = name.substring(PREFIX.length()).replace('_', ' ');
    return GaugeSnapshot.builder()
        .name(name)
        .help("Of a model whose layers are with other nodes: " + figure + ".");
  }
}
