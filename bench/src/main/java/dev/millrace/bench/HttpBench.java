package dev.millrace.bench;

import dev.millrace.bench.harness.BenchOptions;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.http.BenchClient;
import dev.millrace.bench.http.BenchClient.HeldTask;
import dev.millrace.bench.http.BenchServer;
import dev.millrace.bench.http.ClientPool;
import dev.millrace.bench.http.PreparedJobs;
import java.io.IOException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Measures requests per second that create jobs (without and with an idempotency key), claim tasks
 * and complete them, each durable before its response. The baseline is a handler that does nothing
 * after the same checks.
 *
 * <p>Options: {@code --connections} (64), {@code --requests} of each kind in a round (4,000),
 * {@code --rounds} (5), {@code --client} raw or sdk, {@code --apart} (the server in a process of
 * its own).
 */
public final class HttpBench {
  private static final Set<String> OPTIONS = Set.of("connections", "requests", "rounds", "client");
  private static final int CHUNK = 1_000;

  private final ClientPool clients;
  private final PreparedJobs preparedJobs;
  private final int requests;
  private final Queue<HeldTask> held = new ConcurrentLinkedQueue<>();

  HttpBench(ClientPool clients, PreparedJobs preparedJobs, int requests) {
    this.clients = clients;
    this.preparedJobs = preparedJobs;
    this.requests = requests;
  }

  public static void main(String[] args) throws Exception {
    BenchOptions arguments = new BenchOptions(args, OPTIONS, Set.of("apart"));
    int connections = arguments.number("connections", 64);
    String client = arguments.text("client").orElse("raw");
    try (BenchServer host = BenchServer.open(arguments.flag("apart"));
        PreparedJobs preparedJobs = new PreparedJobs(host.api());
        ClientPool clients = ClientPool.open(client, host, connections)) {
      new HttpBench(clients, preparedJobs, arguments.number("requests", 4_000))
          .series()
          .run(arguments.number("rounds", 5))
          .print("requests");
    } finally {
      ScratchDirectories.clean();
    }
  }

  InterleavedRounds series() {
    return new InterleavedRounds()
        .add("empty handler", () -> clients.perSecond(requests, BenchClient::empty))
        .add("POST /v1/jobs", () -> clients.perSecond(requests, BenchClient::openJob))
        .add("POST /v1/jobs, with a key", () -> clients.perSecond(requests, BenchClient::keyedJob))
        .add("POST /api/jobs", () -> clients.perSecond(requests, BenchClient::generate))
        .add("dequeue, one job", () -> dequeue(preparedJobs.oneJob(requests, CHUNK)))
        .add("complete, one job", () -> complete(preparedJobs.oneJob(requests, CHUNK)))
        .add("dequeue, jobs of one task", () -> dequeue(preparedJobs.manyJobs(requests, 1)))
        .add("complete, jobs of one task", () -> complete(preparedJobs.manyJobs(requests, 1)));
  }

  private double dequeue(PreparedJobs.Tasks tasks) throws Exception {
    held.clear();
    return clients.perSecond(
        tasks.count(),
        each ->
            held.add(
                each.dequeue(tasks.type(), 0)
                    .orElseThrow(() -> new IOException("no task left of " + tasks.count()))));
  }

  /** Measures the completions only. Rounds run in either order: it claims its tasks itself. */
  private double complete(PreparedJobs.Tasks tasks) throws Exception {
    dequeue(tasks);
    return clients.perSecond(held.size(), each -> each.complete(held.remove()));
  }
}
