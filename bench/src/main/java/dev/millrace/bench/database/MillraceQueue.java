package dev.millrace.bench.database;

import dev.millrace.bench.database.QueueDrain.Drained;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.util.ArrayList;
import java.util.List;

/** Servers that share a database, from claim to completion of jobs that are there before. */
public final class MillraceQueue {
  private final BenchPostgres postgres;
  private final List<QueueServerProcess> servers;
  private final int jobs;
  private final int connections;

  /**
   * @param connections of each server
   */
  public MillraceQueue(
      BenchPostgres postgres, List<QueueServerProcess> servers, int jobs, int connections) {
    this.postgres = postgres;
    this.servers = List.copyOf(servers);
    this.jobs = jobs;
    this.connections = connections;
  }

  /** Jobs per second of all servers together, until the last completion of any of them. */
  public double perSecond() throws Exception {
    PostgresSettings database = postgres.newDatabase();
    try {
      NoopJobs.submit(database, jobs);
      BenchPostgres.settle(database);
      for (QueueServerProcess server : servers) {
        server.join(database, connections);
      }
      long nanos = drain();
      NoopJobs.requireCompleted(database, jobs);
      return jobs * 1e9 / nanos;
    } finally {
      postgres.drop(database);
    }
  }

  private long drain() throws Exception {
    for (QueueServerProcess server : servers) {
      server.go();
    }
    List<Drained> all = new ArrayList<>();
    for (QueueServerProcess server : servers) {
      all.add(server.drained());
    }
    int tasks = all.stream().mapToInt(Drained::tasks).sum();
    if (tasks != jobs) {
      throw new IllegalStateException(
          "of " + jobs + " tasks, the servers have completed " + tasks + ": " + all);
    }
    return all.stream().mapToLong(Drained::nanos).max().orElseThrow();
  }
}
