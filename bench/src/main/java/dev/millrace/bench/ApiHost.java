package dev.millrace.bench;

import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.api.JobApi;
import dev.millrace.server.http.HttpService;
import dev.millrace.server.http.HttpSettings;
import dev.millrace.server.http.meter.Meters;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/**
 * The API over a fresh workspace, durable as always, with no worker in it; beside it the empty
 * handler with a workspace that nobody uses, because requests are metered there too.
 */
final class ApiHost implements Host {
  private final JobStore store;
  private final JobStore idle;
  private final JobApi service;
  private final Server server;
  private final Meters meters;
  private final HttpService empty;
  private final URI api;

  private ApiHost(JobStore store, JobStore idle) {
    this.store = store;
    this.idle = idle;
    this.service = JobApi.over(store, HttpSettings.loopback(0), null);
    this.server = Server.builder(service.store()).build();
    server.start();
    this.api = service.open(server, Set.of(Caller.GENERATE), null);
    this.meters = new Meters(idle, InstantSource.system());
    this.empty =
        HttpService.open(
            HttpSettings.loopback(0), List.of(new EmptyFace()), List.of(meters.observer()));
  }

  static ApiHost open() throws IOException {
    return new ApiHost(
        Workspace.open(Scratch.fresh("api")).own().orElseThrow(),
        Workspace.open(Scratch.fresh("idle")).own().orElseThrow());
  }

  /** Serves until its standard input ends; says where on two lines. */
  public static void main(String[] args) throws Exception {
    try (ApiHost host = open()) {
      System.out.println(host.api());
      System.out.println(host.empty());
      while (System.in.read() >= 0) {
        // whoever started it goes on
      }
    } finally {
      Scratch.clean();
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
