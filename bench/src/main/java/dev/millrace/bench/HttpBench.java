package dev.millrace.bench;

import dev.millrace.bench.Caller.Held;
import java.io.IOException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Requests a second that make jobs, claim tasks and complete them, each durable before it is
 * answered, against a handler that does nothing behind the same checks.
 *
 * <p>Options: {@code --connections} (64), {@code --requests} of each kind in a round (4,000),
 * {@code --rounds} (5), {@code --client} raw or sdk, {@code --apart} (the server in a process of
 * its own).
 */
public final class HttpBench {
  private static final Set<String> OPTIONS = Set.of("connections", "requests", "rounds", "client");
  private static final int CHUNK = 1_000;

  private final Crowd crowd;
  private final Supply supply;
  private final int requests;
  private final Queue<Held> held = new ConcurrentLinkedQueue<>();

  HttpBench(Crowd crowd, Supply supply, int requests) {
    this.crowd = crowd;
    this.supply = supply;
    this.requests = requests;
  }

  public static void main(String[] args) throws Exception {
    Arguments arguments = new Arguments(args, OPTIONS, Set.of("apart"));
    int connections = arguments.number("connections", 64);
    String client = arguments.text("client").orElse("raw");
    try (Host host = Host.open(arguments.flag("apart"));
        Supply supply = new Supply(host.api());
        Crowd crowd = Crowd.open(client, host, connections)) {
      new HttpBench(crowd, supply, arguments.number("requests", 4_000))
          .series()
          .run(arguments.number("rounds", 5))
          .print("requests");
    } finally {
      Scratch.clean();
    }
  }

  Series series() {
    return new Series()
        .add("empty handler", () -> crowd.perSecond(requests, Caller::empty))
        .add("POST /v1/jobs", () -> crowd.perSecond(requests, Caller::openJob))
        .add("POST /api/jobs", () -> crowd.perSecond(requests, Caller::generate))
        .add("dequeue, one job", () -> dequeue(supply.oneJob(requests, CHUNK)))
        .add("complete, one job", this::complete)
        .add("dequeue, jobs of one task", () -> dequeue(supply.manyJobs(requests, 1)))
        .add("complete, jobs of one task", this::complete);
  }

  private double dequeue(Supply.Tasks tasks) throws Exception {
    return crowd.perSecond(
        tasks.count(),
        caller ->
            held.add(
                caller
                    .dequeue(tasks.type(), 0)
                    .orElseThrow(() -> new IOException("no task left of " + tasks.count()))));
  }

  /** What was dequeued last. */
  private double complete() throws Exception {
    return crowd.perSecond(held.size(), caller -> caller.complete(held.remove()));
  }
}
