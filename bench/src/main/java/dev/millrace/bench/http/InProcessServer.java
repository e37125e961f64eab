package dev.millrace.bench.http;

import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.metrics.ServerMetrics;
import dev.millrace.server.Server;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/**
 * The API on a new workspace without workers, and the empty handler with an unused workspace,
 * because its requests are metered too.
 */
final class InProcessServer implements BenchServer {
  private final JobStore store;
  private final JobStore idle;
  private final HttpApi service;
  private final Server server;
  private final ServerMetrics meters;
  private final HttpService empty;
  private final URI api;

  private InProcessServer(JobStore store, JobStore idle) {
    this.store = store;
    this.idle = idle;
    this.service = HttpApi.over(store, HttpSettings.loopback(0), null);
    this.server = Server.builder(store).build();
    server.start();
    this.api = service.open(server, Set.of(BenchClient.GENERATE), null);
    this.meters = new ServerMetrics(idle, InstantSource.system());
    this.empty =
        HttpService.open(
            HttpSettings.loopback(0), List.of(new EmptyRouteGroup()), List.of(meters.observer()));
  }

  static InProcessServer open() throws IOException {
    return new InProcessServer(
        Workspace.open(ScratchDirectories.fresh("api")).own().orElseThrow(),
        Workspace.open(ScratchDirectories.fresh("idle")).own().orElseThrow());
  }

  /** Serves until standard input ends; prints the two addresses on two lines. */
  public static void main(String[] args) throws Exception {
    try (InProcessServer host = open()) {
      System.out.println(host.api());
      System.out.println(host.empty());
      while (System.in.read() >= 0) {
        // the parent continues
      }
    } finally {
      ScratchDirectories.clean();
    }
  }

  @Override
  public URI api() {
    return api;
  }

  @Override
  public URI empty() {
    return empty.uri();
  }

  @Override
  public void close() {
    empty.close();
    meters.close();
    service.close();
    server.close();
    store.close();
    idle.close();
  }
}
