package dev.millrace.bench;

import dev.millrace.bench.harness.BenchOptions;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.model.RandomPrompts;
import dev.millrace.bench.model.ServingSystem;
import dev.millrace.bench.trace.ReplayReport;
import dev.millrace.bench.trace.ReplayReport.ReplayedJob;
import dev.millrace.bench.trace.RequestTrace;
import dev.millrace.bench.trace.TraceReplay;
import dev.millrace.core.job.Priority;
import dev.millrace.engine.api.EngineSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Replays a recorded hour of requests through the whole system, with lengths scaled to the model's
 * context and time compressed; each job has a random priority. Exits with 1 if a job was lost or
 * overtaken.
 *
 * <p>Options: {@code --trace} (a file with time, prompt tokens, output tokens), {@code --model}
 * (default: the house model), {@code --load} (the share of the machine's capacity: 0.9) or {@code
 * --speed} (times the recorded speed), {@code --seconds} (150) or {@code --rows} (how much of the
 * trace), {@code --seed}, {@code --slots}, {@code --threads}.
 */
public final class TraceBench {
  private static final Set<String> OPTIONS =
      Set.of("trace", "model", "load", "speed", "seconds", "rows", "seed", "slots", "threads");

  /** Positions of the context that jobs leave unused. */
  private static final int OVERHEAD = 64;

  /** The number of jobs that measure the machine's capacity. */
  private static final int SAMPLE = 96;

  private TraceBench() {}

  public static void main(String[] args) throws Exception {
    BenchOptions arguments = new BenchOptions(args, OPTIONS);
    Path file =
        Path.of(
            arguments
                .text("trace")
                .orElse(data().resolve("traces/AzureLLMInferenceTrace_conv.csv").toString()));
    Path model = arguments.text("model").map(Path::of).orElseGet(TraceBench::house);
    for (Path needed : List.of(file, model)) {
      if (!Files.exists(needed)) {
        System.err.println("bench: no " + needed + "; name a --trace and a --model that exist");
        System.exit(2);
      }
    }
    EngineSettings usual = EngineSettings.usual();
    EngineSettings settings =
        usual
            .withThreads(arguments.number("threads", usual.threads()))
            .withSlots(arguments.number("slots", usual.slots()));
    boolean fine;
    try (ServingSystem mill =
        ServingSystem.open(ScratchDirectories.fresh("trace"), model, settings)) {
      fine = run(arguments, file, RandomPrompts.of(model), mill);
    } finally {
      ScratchDirectories.clean();
    }
    System.exit(fine ? 0 : 1);
  }

  private static Path home() {
    return Path.of(System.getProperty("millrace.home", ""));
  }

  private static Path data() {
    String given = System.getProperty("millrace.data");
    return given != null ? Path.of(given) : home().resolve("../shared/data");
  }

  private static Path house() {
    Path house = home().resolve("models/house/house.gguf");
    return Files.exists(house) ? house : data().resolve("models/stories15M-Q8_0.gguf");
  }

  private static boolean run(
      BenchOptions arguments, Path file, RandomPrompts texts, ServingSystem mill) throws Exception {
    long seed = arguments.number("seed", 1);
    RequestTrace whole = RequestTrace.read(file);
    RequestTrace scaled = whole.scaled(texts.context() - OVERHEAD);
    double load = arguments.decimal("load", 0.9);
    // The first run is a warm-up.
    new TraceReplay(mill, texts, seed + 1).capacity(scaled.first(SAMPLE).arrivals());
    double capacity =
        new TraceReplay(mill, texts, seed + 2).capacity(scaled.first(SAMPLE).arrivals());
    int most = (int) Math.round(arguments.decimal("seconds", 150) * capacity * load);
    RequestTrace trace = scaled.first(arguments.number("rows", Math.max(most, 2)));
    double speed = arguments.decimal("speed", load * capacity / trace.rate());
    System.out.printf(
        Locale.ROOT,
        "%s: %d of %d rows, %.1f requests/s as recorded, mean lengths %.0f + %.0f tokens;"
            + " scaled to %.0f + %.0f%n",
        file.getFileName(),
        trace.rows(),
        whole.rows(),
        trace.rate(),
        whole.first(trace.rows()).meanPrompt(),
        whole.first(trace.rows()).meanOutput(),
        trace.meanPrompt(),
        trace.meanOutput());
    System.out.printf(
        Locale.ROOT,
        "replayed %.2f times as fast: a load of %.2f, where %.1f jobs/s were done at once;"
            + " seed %d%n",
        speed,
        speed * trace.rate() / capacity,
        capacity,
        seed);
    ReplayReport report = new TraceReplay(mill, texts, seed).run(trace, speed);
    List<ReplayedJob> overtaken = report.overtaken();
    print(report, overtaken, mill.status().slots());
    return report.lost().isEmpty() && overtaken.isEmpty();
  }

  private static void print(ReplayReport report, List<ReplayedJob> overtaken, int slots) {
    System.out.printf(
        Locale.ROOT,
        "%.1f s: %.1f jobs/s, %.0f tokens/s (prompt and output); submitted late by %d ms at most%n",
        report.nanos() / 1e9,
        report.jobsPerSecond(),
        report.tokensPerSecond(),
        report.maxSubmitDelay().toMillis());
    System.out.printf(
        Locale.ROOT,
        "jobs %d, lost %d, overtaken by a later job in the queue %d;"
            + " of %d slots, %.0f %% were taken while jobs waited%n",
        report.outcomes().size(),
        report.lost().size(),
        overtaken.size(),
        slots,
        100 * report.utilization(slots));
    report.lost().stream().limit(5).forEach(job -> System.out.println("  lost: " + job));
    overtaken.stream().limit(5).forEach(job -> System.out.println("  overtaken: " + job));
    printQueues(report);
  }

  private static void printQueues(ReplayReport report) {
    System.out.printf(
        Locale.ROOT,
        "%-12s %6s %9s %9s %9s %9s%n",
        "queued, ms",
        "jobs",
        "p50",
        "p95",
        "p99",
        "max");
    for (Priority priority : Priority.values()) {
      print(priority.name(), report.queued(priority));
    }
    StringBuilder line = new StringBuilder("waiting+claimed by second:");
    for (ReplayReport.Depth depth : report.depths()) {
      line.append(
          String.format(
              Locale.ROOT,
              "  %.0f: %d+%d",
              depth.atNanos() / 1e9,
              depth.waiting(),
              depth.running()));
    }
    System.out.println(line);
  }

  private static void print(String name, long[] queued) {
    if (queued.length == 0) {
      return;
    }
    StringBuilder line = new StringBuilder();
    for (double share : List.of(0.5, 0.95, 0.99, 1.0)) {
      double millis = InterleavedRounds.percentile(queued, share) / 1e6;
      line.append(String.format(Locale.ROOT, " %9.0f", millis));
    }
    System.out.printf(Locale.ROOT, "%-12s %6d%s%n", name, queued.length, line);
  }
}
