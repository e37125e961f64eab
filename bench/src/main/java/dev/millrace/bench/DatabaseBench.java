package dev.millrace.bench;

import dev.millrace.bench.database.BareProbe;
import dev.millrace.bench.database.BenchPostgres;
import dev.millrace.bench.database.MillraceQueue;
import dev.millrace.bench.database.QueueServerProcess;
import dev.millrace.bench.harness.BenchOptions;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import java.util.List;
import java.util.Set;

/**
 * Measures the store on PostgreSQL: no-op jobs per second from claim to completion, with one and
 * two servers in processes of their own, compared with a bare probe on the same database.
 *
 * <p>Options: {@code --url} of a PostgreSQL to use instead of an own one, {@code --buffers} of its
 * own (1GB), {@code --jobs} (20,000), {@code --probe-jobs} of the probe (100,000), {@code --rounds} (3), {@code --slots} of each server (200),
 * {@code --connections} of each server (10), {@code --claimer} direct or pool.
 */
public final class DatabaseBench {
  private static final Set<String> OPTIONS =
      Set.of("url", "buffers", "jobs", "probe-jobs", "rounds", "slots", "connections", "claimer");

  private DatabaseBench() {}

  public static void main(String[] args) throws Exception {
    BenchOptions arguments = new BenchOptions(args, OPTIONS);
    String url = arguments.text("url").orElse(null);
    try (BenchPostgres postgres =
        url == null
            ? BenchPostgres.start(arguments.text("buffers").orElse("1GB"))
            : BenchPostgres.at(url)) {
      System.out.println(postgres.describe());
      rates(postgres, arguments);
    } finally {
      ScratchDirectories.clean();
    }
  }

  private static void rates(BenchPostgres postgres, BenchOptions arguments) throws Exception {
    int jobs = arguments.number("jobs", 20_000);
    int slots = arguments.number("slots", 200);
    int connections = arguments.number("connections", 10);
    BareProbe probe = new BareProbe(postgres, arguments.number("probe-jobs", 100_000), 2);
    String claimer = arguments.text("claimer").orElse("direct");
    try (QueueServerProcess first = QueueServerProcess.start(postgres.settings(), claimer, slots);
        QueueServerProcess second = QueueServerProcess.start(postgres.settings(), claimer, slots)) {
      MillraceQueue one = new MillraceQueue(postgres, List.of(first), jobs, connections);
      MillraceQueue two = new MillraceQueue(postgres, List.of(first, second), jobs, connections);
      new InterleavedRounds()
          .add("bare probe, 2 connections", probe::perSecond)
          .add("one server", one::perSecond)
          .add("two servers", two::perSecond)
          .run(arguments.number("rounds", 3))
          .print("jobs");
    }
  }
}
