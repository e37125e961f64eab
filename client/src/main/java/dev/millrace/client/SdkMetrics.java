package dev.millrace.client;

import dev.millrace.client.internal.transport.ClientMeters;
import dev.millrace.client.internal.transport.PrometheusMeters;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/**
 * The metrics of clients and workers, in a Prometheus registry. Register them once per registry;
 * any number of clients may share them. This class loads Prometheus, which is an optional
 * dependency.
 */
public final class SdkMetrics {
  private final ClientMeters meters;

  private SdkMetrics(ClientMeters meters) {
    this.meters = meters;
  }

  /**
   * Registers the metrics in {@code registry}.
   *
   * @throws IllegalArgumentException if the registry already has them
   */
  public static SdkMetrics in(PrometheusRegistry registry) {
    return new SdkMetrics(new PrometheusMeters(registry));
  }

  ClientMeters meters() {
    return meters;
  }
}
