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
 * Workers that claim and complete one task at a time over the API, against half as many requests a
 * second as the empty handler answers: a task takes two. Ends with status 1 if a task was handed
 * out twice, or is not completed.
 *
 * <p>Options: {@code --workers} (100), {@code --tasks} of one job (100,000), added {@code --chunk}
 * (1,000) at a time; then {@code --jobs} (1,000; 0: none) with {@code --tasks-each} (10); {@code
 * --rounds} (1), {@code --client} raw or sdk, {@code --apart} (the server in a process of its own).
 */
public final class WorkersBench {
  private static final Set<String> OPTIONS =
      Set.of("workers", "tasks", "chunk", "jobs", "tasks-each", "rounds", "client");

  /** Part of all tasks that warms up. */
  private static final int WARM_UP = 10;

  private final ClientPool crowd;
  private final PreparedJobs supply;
  private final List<String> wrong = new ArrayList<>();

  WorkersBench(ClientPool crowd, PreparedJobs supply) {
    this.crowd = crowd;
    this.supply = supply;
  }

  public static void main(String[] args) throws Exception {
    BenchOptions arguments = new BenchOptions(args, OPTIONS, Set.of("apart"));
    int workers = arguments.number("workers", 100);
    String client = arguments.text("client").orElse("raw");
    WorkersBench bench;
    try (BenchServer host = BenchServer.open(arguments.flag("apart"));
        PreparedJobs supply = new PreparedJobs(host.api());
        ClientPool crowd = ClientPool.open(client, host, workers)) {
      bench = new WorkersBench(crowd, supply);
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
    work(supply.oneJob(Math.max(1, tasks / WARM_UP), chunk));
    InterleavedRounds series =
        new InterleavedRounds()
            .add("empty handler, two requests a task", () -> empty(tasks / 2))
            .add(tasks + " tasks of one job", () -> work(supply.oneJob(tasks, chunk)));
    if (jobs > 0) {
      series.add(jobs + " jobs of " + each + " tasks", () -> work(supply.manyJobs(jobs, each)));
    }
    series.runWarm(arguments.number("rounds", 1)).print("tasks");
  }

  private double empty(int requests) throws Exception {
    return crowd.perSecond(requests, BenchClient::empty) / 2;
  }

  /** Tasks a second; what should not be is noted. */
  double work(PreparedJobs.Tasks tasks) throws Exception {
    WorkerRound shift = new WorkerRound(tasks);
    double rate = shift.work(crowd);
    shift.claimedTwice().forEach(task -> wrong.add("claimed twice: task " + task));
    if (shift.claims() != tasks.count() || shift.completions() != tasks.count()) {
      wrong.add(
          "of %d tasks, %d were claimed and %d completed"
              .formatted(tasks.count(), shift.claims(), shift.completions()));
    }
    wrong.addAll(supply.unfinished(tasks));
    return rate;
  }

  /** What was not as it must be; empty if all is well. */
  List<String> wrong() {
    return List.copyOf(wrong);
  }
}
