package dev.millrace.client;

import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import dev.millrace.client.internal.transport.ClientResponse;
import dev.millrace.core.json.JsonObject;
import java.util.function.Function;

/** Whether the server is well, and what it offers. Thread-safe. */
public final class HealthApi {
  private final ApiTransport transport;

  HealthApi(ApiTransport channel) {
    this.transport = channel;
  }

  /** Whether the process is up; an exception where it cannot be asked. */
  public boolean live() {
    return asked("/health/live");
  }

  /** Whether it takes work; false while it starts or drains. */
  public boolean ready() {
    return asked("/health/ready");
  }

  /** As stock clients ask. */
  public boolean liveness() {
    return asked("/liveness");
  }

  /** As so1's clients ask: {@code {status, timestamp}}. */
  public JsonObject health() {
    return transport.send(ClientRequest.get("/health")).read(Function.identity());
  }

  /** All metrics in Prometheus' text format. */
  public String metrics() {
    return transport.send(ClientRequest.get("/metrics")).text();
  }

  /** The same under its stock name. */
  public String serviceMetrics() {
    return transport.send(ClientRequest.get("/service-metrics")).text();
  }

  /** The API's document. */
  public JsonObject openApi() {
    return transport.send(ClientRequest.get("/openapi.json")).read(Function.identity());
  }

  /** The page for people, as HTML. */
  public String docs() {
    return transport.send(ClientRequest.get("/docs/api")).text();
  }

  /** Where the server sends who asks for nothing in particular. */
  public String home() {
    ClientResponse response = transport.exchange(ClientRequest.get("/"));
    String location = response.header("Location");
    if (location == null) {
      throw response.toException();
    }
    return location;
  }

  private boolean asked(String path) {
    ClientResponse response = transport.exchange(ClientRequest.get(path).notRepeatable());
    if (response.status() == 503) {
      return false;
    }
    if (!response.ok()) {
      throw response.toException();
    }
    return true;
  }
}
