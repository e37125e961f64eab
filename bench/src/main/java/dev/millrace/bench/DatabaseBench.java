package dev.millrace.bench;

import dev.millrace.bench.database.BareProbe;
import dev.millrace.bench.database.BenchPostgres;
import dev.millrace.bench.database.DbSchedulerPeer;
import dev.millrace.bench.database.GraphileWorkerPeer;
import dev.millrace.bench.database.HeldSnapshotComparison;
import dev.millrace.bench.database.MillraceQueue;
import dev.millrace.bench.database.QueueServerProcess;
import dev.millrace.bench.database.ServerPair;
import dev.millrace.bench.database.SizeComparison;
import dev.millrace.bench.harness.BenchOptions;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.model.RandomPrompts;
import dev.millrace.bench.model.Workload;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Measures the store on PostgreSQL, in one of these ways, which the first argument names:
 *
 * <ul>
 *   <li>{@code rate}, the default: no-op jobs per second from claim to completion, with one and two
 *       servers in processes of their own, compared with a bare probe, db-scheduler and
 *       graphile-worker on the same PostgreSQL. Options: {@code --jobs} (20,000), {@code
 *       --probe-jobs} of the probe (100,000), {@code --rounds} (3), {@code --slots} (200) and
 *       {@code --connections} (10) of each server, {@code --claimer} direct or pool, {@code
 *       --graphile} a directory with graphile-worker, and {@code --skip} with any of one, two,
 *       db-scheduler, graphile.
 *   <li>{@code size}: what a claim costs beside many jobs. Options: {@code --waiting} and {@code
 *       --finished} (100,000), {@code --samples} (60).
 *   <li>{@code snapshot}: what a claim costs after many completions while a transaction holds a
 *       snapshot. Options: {@code --completions} (100,000), {@code --samples} (60).
 *   <li>{@code model}: tokens per second of two servers with a model on one database, compared with
 *       two servers on a workspace each. Options: {@code --model} (a file; the house model), {@code
 *       --jobs} (64), {@code --prompt} (32) and {@code --output} (128) tokens, {@code --slots} (16)
 *       and {@code --threads} (1) of each server, {@code --rounds} (5).
 * </ul>
 *
 * <p>Options of all: {@code --url} of a PostgreSQL to use instead of an own one, {@code --buffers}
 * of its own (1GB).
 */
public final class DatabaseBench {
  private static final Set<String> COMMON = Set.of("url", "buffers");
  private static final Map<String, Set<String>> OPTIONS =
      Map.of(
          "rate",
          Set.of(
              "jobs",
              "probe-jobs",
              "rounds",
              "slots",
              "connections",
              "claimer",
              "graphile",
              "skip"),
          "size",
          Set.of("waiting", "finished", "samples"),
          "snapshot",
          Set.of("completions", "samples"),
          "model",
          Set.of("model", "jobs", "prompt", "output", "slots", "threads", "rounds"));

  private static final double RATE_GOAL = 0.5;
  private static final double TOKENS_GOAL = 0.9;
  private static final double GRAPHILE_AIM = 1;
  private static final String PROBE = "bare probe";
  private static final String GRAPHILE = "graphile-worker";
  private static final String ONE = "one server";
  private static final String TWO = "two servers";

  private final BenchPostgres postgres;
  private final BenchOptions arguments;

  private DatabaseBench(BenchPostgres postgres, BenchOptions arguments) {
    this.postgres = postgres;
    this.arguments = arguments;
  }

  public static void main(String[] args) throws Exception {
    boolean named = args.length > 0 && OPTIONS.containsKey(args[0]);
    String way = named ? args[0] : "rate";
    if (!named && args.length > 0 && !args[0].startsWith("--")) {
      System.err.println(
          "bench: \"" + args[0] + "\" is none of " + new TreeSet<>(OPTIONS.keySet()));
      System.exit(2);
    }
    Set<String> known = new HashSet<>(COMMON);
    known.addAll(OPTIONS.get(way));
    BenchOptions arguments =
        new BenchOptions(named ? Arrays.copyOfRange(args, 1, args.length) : args, known);
    String url = arguments.text("url").orElse(null);
    try (BenchPostgres postgres =
        url == null
            ? BenchPostgres.start(arguments.text("buffers").orElse("1GB"))
            : BenchPostgres.at(url)) {
      System.out.println(postgres.describe());
      new DatabaseBench(postgres, arguments).run(way);
    } finally {
      ScratchDirectories.clean();
    }
  }

  private void run(String way) throws Exception {
    int samples = arguments.number("samples", 60);
    switch (way) {
      case "size" ->
          new SizeComparison(
                  postgres,
                  arguments.number("waiting", 100_000),
                  arguments.number("finished", 100_000),
                  samples)
              .run();
      case "snapshot" ->
          new HeldSnapshotComparison(postgres, arguments.number("completions", 100_000), samples)
              .run();
      case "model" -> tokens();
      default -> rates();
    }
  }

  private void rates() throws Exception {
    int jobs = arguments.number("jobs", 20_000);
    Set<String> skipped = arguments.words("skip");
    try (QueueServerProcess first = server();
        QueueServerProcess second = server()) {
      InterleavedRounds rounds = new InterleavedRounds();
      BareProbe probe = new BareProbe(postgres, arguments.number("probe-jobs", 100_000), 2);
      rounds.add(PROBE, probe::perSecond);
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
      graphile.ifPresent(peer -> rounds.add(GRAPHILE, peer::perSecond));
      rounds.run(arguments.number("rounds", 3)).print("jobs");
      for (String name : List.of(ONE, TWO)) {
        rounds.printGoal(name, PROBE, RATE_GOAL);
        rounds.printGoal(name, GRAPHILE, GRAPHILE_AIM);
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

  private void tokens() throws Exception {
    Path house = Path.of(System.getProperty("millrace.home"), "models", "house", "house.gguf");
    Path model = arguments.text("model").map(Path::of).orElse(house).toAbsolutePath();
    Workload load =
        Workload.unrelated(
            RandomPrompts.of(model),
            arguments.number("jobs", 64),
            arguments.number("prompt", 32),
            arguments.number("output", 128),
            1);
    List<String> options =
        List.of(
            "--model",
            "bench=" + model,
            "--slots",
            arguments.text("slots").orElse("16"),
            "--threads",
            arguments.text("threads").orElse("1"));
    PostgresSettings database = postgres.newDatabase();
    try (ServerPair apart = ServerPair.onWorkspaces(options);
        ServerPair shared = ServerPair.onDatabase(database, options)) {
      InterleavedRounds rounds =
          new InterleavedRounds()
              .add("two workspaces", () -> apart.perSecond(load))
              .add("one database", () -> shared.perSecond(load))
              .run(arguments.number("rounds", 5));
      rounds.print("tokens");
      rounds.printGoal("one database", "two workspaces", TOKENS_GOAL);
    } finally {
      postgres.drop(database);
    }
  }
}
