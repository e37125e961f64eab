package dev.millrace.client;

import dev.millrace.api.server.ServerOverview;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import dev.millrace.client.internal.transport.ClientResponse;
import dev.millrace.core.json.JsonObject;
import java.util.function.Function;

/** Health checks, metrics, models and the OpenAPI document of the server. Thread-safe. */
public final class MonitoringApi {
  private final ApiTransport transport;

  MonitoringApi(ApiTransport transport) {
    this.transport = transport;
  }

  /** Whether the process is up; an exception where no answer comes. */
  public boolean live() {
    return isHealthy("/health/live");
  }

  /** Whether the server accepts work; false while it starts or drains. */
  public boolean ready() {
    return isHealthy("/health/ready");
  }

  /** The check of Jobnik clients. */
  public boolean liveness() {
    return isHealthy("/liveness");
  }

  /** The check of so1 clients: {@code {status, timestamp}}. */
  public JsonObject health() {
    return transport.send(ClientRequest.get("/health")).read(Function.identity());
  }

  /** All metrics in the text format of Prometheus. */
  public String metrics() {
    return transport.send(ClientRequest.get("/metrics")).text();
  }

  /** All metrics, under the path that Jobnik has. */
  public String serviceMetrics() {
    return transport.send(ClientRequest.get("/service-metrics")).text();
  }

  /** The OpenAPI document. */
  public JsonObject openApi() {
    return transport.send(ClientRequest.get("/openapi.json")).read(Function.identity());
  }

  /** The API documentation for people, as HTML. */
  public String docs() {
    return transport.send(ClientRequest.get("/docs/api")).text();
  }

  /** Where the server redirects requests for {@code /}. */
  public String home() {
    ClientResponse response = transport.exchange(ClientRequest.get("/"));
    String location = response.header("Location");
    if (location == null) {
      throw response.toException();
    }
    return location;
  }

  /** The server, its models, and the nodes and pipes of models whose layers are spread. */
  public ServerOverview server() {
    return transport.send(ClientRequest.get("/v1/server")).read(ServerOverview::fromJson);
  }

  /** The page for people, as HTML. */
  public String page() {
    return transport.send(ClientRequest.get("/").header("Accept", "text/html")).text();
  }

  private boolean isHealthy(String path) {
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
