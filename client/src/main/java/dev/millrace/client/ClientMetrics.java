package dev.millrace.client;

import dev.millrace.client.internal.transport.ClientMeters;
import dev.millrace.client.internal.transport.PrometheusMeters;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/**
 * The metrics of clients and workers, in a Prometheus registry. Register them once per registry;
 * any number of clients may share them. This class loads Prometheus, which is an optional
 * dependency.
 */
public final class ClientMetrics {
  private final ClientMeters meters;

  private ClientMetrics(ClientMeters meters) {
    this.meters = meters;
  }

  /**
   * Registers the metrics in {@code registry}.
   *
   * @throws IllegalArgumentException if the registry already has them
   */
  public static ClientMetrics in(PrometheusRegistry registry) {
    return new ClientMetrics(new PrometheusMeters(registry));
  }

  ClientMeters meters() {
    return meters;
  }
}
