package dev.millrace.bench;

import dev.millrace.bench.harness.BenchOptions;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.http.BenchClient;
import dev.millrace.bench.http.BenchServer;
import dev.millrace.bench.http.ClientPool;
import dev.millrace.bench.http.PreparedJobs;
import dev.millrace.bench.http.WorkerRound;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Measures workers that claim and complete one task at a time over the API, compared with half the
 * requests per second of the empty handler, because a task takes two. Exits with 1 if a task was
 * claimed twice or not completed.
 *
 * <p>Options: {@code --workers} (100), {@code --tasks} of one job (100,000), added {@code --chunk}
 * (1,000) at a time; then {@code --jobs} (1,000; 0: none) with {@code --tasks-each} (10); {@code
 * --rounds} (1), {@code --client} raw or sdk, {@code --apart} (the server in a process of its own).
 */
public final class WorkersBench {
  private static final Set<String> OPTIONS =
      Set.of("workers", "tasks", "chunk", "jobs", "tasks-each", "rounds", "client");

  /** The share of tasks for the warm-up. */
  private static final int WARM_UP = 10;

  private final ClientPool clients;
  private final PreparedJobs preparedJobs;
  private final List<String> wrong = new ArrayList<>();

  WorkersBench(ClientPool clients, PreparedJobs preparedJobs) {
    this.clients = clients;
    this.preparedJobs = preparedJobs;
  }

  public static void main(String[] args) throws Exception {
    BenchOptions arguments = new BenchOptions(args, OPTIONS, Set.of("apart"));
    int workers = arguments.number("workers", 100);
    String client = arguments.text("client").orElse("raw");
    WorkersBench bench;
    try (BenchServer host = BenchServer.open(arguments.flag("apart"));
        PreparedJobs preparedJobs = new PreparedJobs(host.api());
        ClientPool clients = ClientPool.open(client, host, workers)) {
      bench = new WorkersBench(clients, preparedJobs);
      bench.run(arguments);
    } finally {
      ScratchDirectories.clean();
    }
    bench.wrong.forEach(System.out::println);
    System.exit(bench.wrong.isEmpty() ? 0 : 1);
  }

  private void run(BenchOptions arguments) throws Exception {
    int tasks = arguments.number("tasks", 100_000);
    int chunk = arguments.number("chunk", 1_000);
    int jobs = arguments.number("jobs", 1_000);
    int each = arguments.number("tasks-each", 10);
    empty(tasks / WARM_UP);
    work(preparedJobs.oneJob(Math.max(1, tasks / WARM_UP), chunk));
    InterleavedRounds series =
        new InterleavedRounds()
            .add("empty handler, two requests per task", () -> empty(tasks / 2))
            .add(tasks + " tasks of one job", () -> work(preparedJobs.oneJob(tasks, chunk)));
    if (jobs > 0) {
      series.add(
          jobs + " jobs of " + each + " tasks", () -> work(preparedJobs.manyJobs(jobs, each)));
    }
    series.runWarm(arguments.number("rounds", 1)).print("tasks");
  }

  private double empty(int requests) throws Exception {
    return clients.perSecond(requests, BenchClient::empty) / 2;
  }

  /** Tasks per second; records errors. */
  double work(PreparedJobs.Tasks tasks) throws Exception {
    WorkerRound round = new WorkerRound(tasks);
    double rate = round.work(clients);
    round.claimedTwice().forEach(task -> wrong.add("claimed twice: task " + task));
    if (round.claims() != tasks.count() || round.completions() != tasks.count()) {
      wrong.add(
          "of %d tasks, %d were claimed and %d completed"
              .formatted(tasks.count(), round.claims(), round.completions()));
    }
    wrong.addAll(preparedJobs.unfinished(tasks));
    return rate;
  }

  /** The errors; empty if there were none. */
  List<String> wrong() {
    return List.copyOf(wrong);
  }
}
