package dev.millrace.bench;

import dev.millrace.bench.database.BareProbe;
import dev.millrace.bench.database.BenchPostgres;
import dev.millrace.bench.database.DbSchedulerPeer;
import dev.millrace.bench.database.GraphileWorkerPeer;
import dev.millrace.bench.database.MillraceQueue;
import dev.millrace.bench.database.QueueServerProcess;
import dev.millrace.bench.harness.BenchOptions;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Measures the store on PostgreSQL: no-op jobs per second from claim to completion, with one and
 * two servers in processes of their own, compared with a bare probe, db-scheduler and
 * graphile-worker on the same PostgreSQL.
 *
 * <p>Options: {@code --url} of a PostgreSQL to use instead of an own one, {@code --buffers} of its
 * own (1GB), {@code --jobs} (20,000), {@code --probe-jobs} of the probe (100,000), {@code --rounds}
 * (3), {@code --slots} of each server (200), {@code --connections} of each server (10), {@code
 * --claimer} direct or pool, {@code --graphile} a directory with graphile-worker, and {@code
 * --skip} with any of one, two, db-scheduler, graphile.
 */
public final class DatabaseBench {
  private static final Set<String> OPTIONS =
      Set.of(
          "url",
          "buffers",
          "jobs",
          "probe-jobs",
          "rounds",
          "slots",
          "connections",
          "claimer",
          "graphile",
          "skip");

  private static final double GOAL = 0.5;
  private static final String ONE = "one server";
  private static final String TWO = "two servers";

  private final BenchPostgres postgres;
  private final BenchOptions arguments;

  private DatabaseBench(BenchPostgres postgres, BenchOptions arguments) {
    this.postgres = postgres;
    this.arguments = arguments;
  }

  public static void main(String[] args) throws Exception {
    BenchOptions arguments = new BenchOptions(args, OPTIONS);
    String url = arguments.text("url").orElse(null);
    try (BenchPostgres postgres =
        url == null
            ? BenchPostgres.start(arguments.text("buffers").orElse("1GB"))
            : BenchPostgres.at(url)) {
      System.out.println(postgres.describe());
      new DatabaseBench(postgres, arguments).rates();
    } finally {
      ScratchDirectories.clean();
    }
  }

  private void rates() throws Exception {
    int jobs = arguments.number("jobs", 20_000);
    Set<String> skipped = arguments.words("skip");
    try (QueueServerProcess first = server();
        QueueServerProcess second = server()) {
      InterleavedRounds rounds = new InterleavedRounds();
      BareProbe probe = new BareProbe(postgres, arguments.number("probe-jobs", 100_000), 2);
      rounds.add("bare probe", probe::perSecond);
      if (!skipped.contains("one")) {
        rounds.add(ONE, queue(jobs, first)::perSecond);
      }
      if (!skipped.contains("two")) {
        rounds.add(TWO, queue(jobs, first, second)::perSecond);
      }
      if (!skipped.contains("db-scheduler")) {
        rounds.add("db-scheduler", new DbSchedulerPeer(postgres, jobs)::perSecond);
      }
      run(rounds, jobs, skipped);
    }
  }

  private void run(InterleavedRounds rounds, int jobs, Set<String> skipped) throws Exception {
    Optional<GraphileWorkerPeer> graphile =
        skipped.contains("graphile")
            ? Optional.empty()
            : GraphileWorkerPeer.start(
                postgres,
                jobs,
                arguments.text("graphile").orElse(System.getenv("MILLRACE_GRAPHILE")));
    try {
      graphile.ifPresent(peer -> rounds.add("graphile-worker", peer::perSecond));
      rounds.run(arguments.number("rounds", 3)).print("jobs");
      if (!skipped.contains("one")) {
        rounds.printGoal(ONE, GOAL);
      }
      if (!skipped.contains("two")) {
        rounds.printGoal(TWO, GOAL);
      }
    } finally {
      if (graphile.isPresent()) {
        graphile.get().close();
      }
    }
  }

  private QueueServerProcess server() throws Exception {
    return QueueServerProcess.start(
        postgres.settings(),
        arguments.text("claimer").orElse("direct"),
        arguments.number("slots", 200));
  }

  private MillraceQueue queue(int jobs, QueueServerProcess... servers) {
    return new MillraceQueue(postgres, List.of(servers), jobs, arguments.number("connections", 10));
  }
}
