package dev.millrace.bench;

import dev.millrace.bench.chat.LlamaServerRound;
import dev.millrace.bench.harness.BenchOptions;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.model.RandomPrompts;
import dev.millrace.bench.model.RandomWeights;
import dev.millrace.bench.model.SamplingChoice;
import dev.millrace.bench.model.Workload;
import dev.millrace.bench.model.WorkloadResult;
import dev.millrace.bench.model.WorkloadRunner;
import dev.millrace.engine.api.EngineSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Runs many jobs on one model, in turns: with the engine alone, with the whole system from
 * submission to result on disk, with llama.cpp with a context for each of a few workers, and with
 * {@code llama-server}, if it is on the PATH, with as many slots.
 *
 * <p>Options: {@code --model} (a file, or as {@link RandomWeights} has it), {@code --jobs}, {@code
 * --rounds}, {@code --prompt} and {@code --output} tokens of jobs without a common prefix, {@code
 * --prefix}, {@code --own} and {@code --prefix-output} tokens of jobs with a common prefix, {@code
 * --slots}, {@code --threads}, {@code --context}, {@code --temperature}, {@code --workers} and
 * {@code --peer-jobs} of llama.cpp, and {@code --skip} with any of engine, system, peer, server,
 * apart, prefix.
 */
public final class SystemBench {
  private static final Set<String> OPTIONS =
      Set.of(
          "model",
          "jobs",
          "rounds",
          "prompt",
          "output",
          "prefix",
          "own",
          "prefix-output",
          "slots",
          "threads",
          "context",
          "temperature",
          "workers",
          "peer-jobs",
          "skip");

  private final BenchOptions arguments;
  private final RandomPrompts texts;
  private final WorkloadRunner contenders;
  private final Set<String> skipped;
  private final int jobs;
  private final int workers;
  private final int peerJobs;
  private final Path model;
  private final int slots;
  private final int context;

  private SystemBench(BenchOptions arguments, Path model) {
    this.arguments = arguments;
    this.texts = RandomPrompts.of(model);
    this.skipped = arguments.words("skip");
    this.jobs = arguments.number("jobs", 64);
    this.workers = arguments.number("workers", 4);
    this.peerJobs = arguments.number("peer-jobs", 2 * workers);
    EngineSettings usual = EngineSettings.usual();
    EngineSettings settings =
        usual
            .withThreads(arguments.number("threads", usual.threads()))
            .withSlots(arguments.number("slots", usual.slots()))
            .withContext(arguments.number("context", Math.min(1024, texts.context())));
    this.model = model;
    this.slots = settings.slots();
    this.context = settings.context();
    SamplingChoice choice = new SamplingChoice(arguments.decimal("temperature", 0));
    this.contenders = new WorkloadRunner(model, texts, settings, choice);
  }

  public static void main(String[] args) throws Exception {
    BenchOptions arguments = new BenchOptions(args, OPTIONS);
    String name = arguments.text("model").orElse("1b-Q8_0");
    try {
      new SystemBench(arguments, RandomWeights.file(ScratchDirectories.fresh("model"), name))
          .run(name);
    } finally {
      ScratchDirectories.clean();
    }
  }

  private void run(String name) throws Exception {
    int rounds = arguments.number("rounds", 3);
    System.out.printf(Locale.ROOT, "%s, %d jobs, %d rounds in turns%n", name, jobs, rounds);
    if (!skipped.contains("peer")) {
      System.out.printf(
          Locale.ROOT,
          "llama.cpp has %d jobs on %d contexts: its speed is constant, so it does not depend on"
              + " the number of jobs%n",
          peerJobs,
          workers);
    }
    if (!skipped.contains("apart")) {
      Workload load =
          Workload.unrelated(
              texts, jobs, arguments.number("prompt", 32), arguments.number("output", 256), 1);
      compare("no common prefix", load, rounds, 1.8);
    }
    if (!skipped.contains("prefix")) {
      Workload load =
          Workload.withSharedPrefix(
              texts,
              jobs,
              arguments.number("prefix", 512),
              arguments.number("own", 8),
              arguments.number("prefix-output", 64),
              2);
      compare("a common prefix", load, rounds, 3);
    }
  }

  private interface Contender {
    WorkloadResult measure(Workload load) throws Exception;
  }

  private Map<String, Contender> contenders() {
    Map<String, Contender> all = new LinkedHashMap<>();
    all.put("engine", contenders::engine);
    all.put("system", contenders::system);
    all.put("peer", load -> contenders.llamaCpp(load, workers, peerJobs));
    Path server = LlamaServerRound.program();
    if (server != null) {
      all.put("server", load -> LlamaServerRound.measure(server, model, load, slots, context));
    }
    all.keySet().removeAll(skipped);
    return all;
  }

  private void compare(String name, Workload load, int rounds, double goal) throws Exception {
    System.out.printf(
        Locale.ROOT,
        "%n%s: prompts of %d tokens, the first %d of them shared; %d tokens generated each%n",
        name,
        load.promptTokens(),
        load.sharedTokens(),
        load.output());
    contenders.compile(load);
    Map<String, List<WorkloadResult>> measured = new LinkedHashMap<>();
    Map<String, Contender> all = contenders();
    List<String> order = new ArrayList<>(all.keySet());
    for (int round = 1; round <= rounds; round++) {
      for (String contender : order) {
        WorkloadResult figure = all.get(contender).measure(load);
        measured.computeIfAbsent(contender, key -> new ArrayList<>()).add(figure);
        System.out.printf(
            Locale.ROOT,
            "  round %d %-7s %8.1f tokens/s (%d in %.1f s, %d of prompts reused)%n",
            round,
            contender,
            figure.perSecond(),
            figure.tokens(),
            figure.seconds(),
            figure.reusedTokens());
      }
      Collections.rotate(order, 1); // none is always the first, or always after the same one
    }
    print(measured, goal);
  }

  private static void print(Map<String, List<WorkloadResult>> measured, double goal) {
    System.out.printf(Locale.ROOT, "%-24s %10s%n", "median", "tokens/s");
    measured.forEach(
        (contender, figures) ->
            System.out.printf(
                Locale.ROOT,
                "%-24s %10.1f%n",
                contender,
                InterleavedRounds.median(rates(figures))));
    ratio(measured, "engine", 0.9);
    ratio(measured, "peer", goal);
    ratio(measured, "server", 1.25);
  }

  /** The median of the ratios per round: a slow minute of the machine affects both. */
  private static void ratio(
      Map<String, List<WorkloadResult>> measured, String against, double goal) {
    List<WorkloadResult> system = measured.get("system");
    List<WorkloadResult> other = measured.get(against);
    if (system == null || other == null) {
      return;
    }
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < system.size(); round++) {
      ratios.add(system.get(round).perSecond() / other.get(round).perSecond());
    }
    double ratio = InterleavedRounds.median(ratios);
    System.out.printf(
        Locale.ROOT,
        "%-24s %9.2fx  %s %.1fx  %s%n",
        "system / " + against,
        ratio,
        ratio >= goal ? "reaches" : "MISSES",
        goal,
        ratios.stream().map(value -> String.format(Locale.ROOT, "%.2f", value)).toList());
  }

  private static List<Double> rates(List<WorkloadResult> figures) {
    return figures.stream().map(WorkloadResult::perSecond).toList();
  }
}
