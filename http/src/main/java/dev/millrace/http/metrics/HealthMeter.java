package dev.millrace.http.metrics;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.store.health.StoreHealth;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.function.Supplier;

/** Metrics of what keeps a server from working: its store and its threads. */
final class HealthMeter implements MultiCollector {
  private final Supplier<StoreHealth> health;

  HealthMeter(Supplier<StoreHealth> health) {
    this.health = health;
  }

  @Override
  public MetricSnapshots collect() {
    StoreHealth now = health.get();
    MetricSnapshots.Builder all =
        MetricSnapshots.builder()
            .metricSnapshot(
                gauge(
                    "millrace_store_failing",
                    "1 while nothing can be stored: the disk is full, read-only or broken.",
                    now.trouble() == null ? 0 : 1))
            .metricSnapshot(
                CounterSnapshot.builder()
                    .name("millrace_store_failures")
                    .help("Calls that failed because nothing can be stored.")
                    .dataPoint(CounterDataPointSnapshot.builder().value(now.failures()).build())
                    .build())
            .metricSnapshot(
                gauge(
                    "millrace_threads_dead",
                    "Threads that have died and that the server needs.",
                    MonitoredThreads.dead().size()));
    if (now.freeBytes() >= 0) {
      all.metricSnapshot(
          gauge(
              "millrace_store_free_bytes",
              "Free space on the disk of the workspace.",
              now.freeBytes()));
    }
    return all.build();
  }

  private static GaugeSnapshot gauge(String name, String help, double value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
        .build();
  }
}
