package dev.millrace.bench;

import dev.millrace.bench.cluster.LayerShares;
import dev.millrace.bench.cluster.LlamaCppRpc;
import dev.millrace.bench.cluster.ProcessPipe;
import dev.millrace.bench.harness.BenchOptions;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.model.RandomPrompts;
import dev.millrace.bench.model.RandomWeights;
import dev.millrace.cluster.OriginStats;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Sampling;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares a model that is spread over several processes of this machine with the same model in one
 * process, with as many threads that compute. It also measures the traffic between them, and how
 * long a killed node delays a sequence, compared with the prefill that rebuilds its cache.
 *
 * <p>Options: {@code --model} (a file, or as {@link RandomWeights} has it), {@code --processes}
 * (2,3), {@code --threads} of each (1), {@code --sequences}, {@code --prompt}, {@code --output},
 * {@code --rounds}, {@code --context}, and {@code --skip} with any of single, many, wide, recovery,
 * peer.
 */
public final class PipesBench {
  private static final Set<String> OPTIONS =
      Set.of(
          "model",
          "processes",
          "threads",
          "sequences",
          "prompt",
          "output",
          "rounds",
          "context",
          "skip");

  private final BenchOptions arguments;
  private final Path model;
  private final RandomPrompts texts;
  private final Set<String> skipped;
  private final EngineSettings settings;
  private final int rounds;
  private final int prompt;
  private final int output;
  private final int sequences;

  private PipesBench(BenchOptions arguments, Path model) {
    this.arguments = arguments;
    this.model = model;
    texts = RandomPrompts.of(model);
    skipped = arguments.words("skip");
    rounds = arguments.number("rounds", 3);
    prompt = arguments.number("prompt", 32);
    output = arguments.number("output", 64);
    sequences = arguments.number("sequences", 16);
    settings =
        EngineSettings.usual()
            .withSlots(sequences)
            .withContext(arguments.number("context", Math.min(1024, texts.context())));
  }

  public static void main(String[] args) throws Exception {
    BenchOptions arguments = new BenchOptions(args, OPTIONS);
    String name = arguments.text("model").orElse("1b-Q4_0");
    try {
      Path model = RandomWeights.file(ScratchDirectories.fresh("model"), name).toAbsolutePath();
      System.out.println(name);
      new PipesBench(arguments, model).run();
    } finally {
      ScratchDirectories.clean();
    }
    System.exit(0);
  }

  private void run() throws Exception {
    int threads = arguments.number("threads", 1);
    for (String count : arguments.text("processes").orElse("2,3").split(",")) {
      int processes = Integer.parseInt(count);
      LayerShares shares = LayerShares.of(model, processes);
      System.out.printf(
          Locale.ROOT,
          "%n%d processes of %d threads: %d layers at the origin, %s at nodes%n",
          processes,
          threads,
          shares.local(),
          shares.ranges());
      compare(shares, processes, threads, !skipped.contains("many"));
      if (threads == 1 && !skipped.contains("wide")) {
        System.out.printf(
            Locale.ROOT,
            "%n%d processes of %d threads, of which one process at a time computes%n",
            processes,
            processes);
        compare(shares, processes, processes, false);
      }
    }
    if (!skipped.contains("recovery")) {
      recovery(LayerShares.of(model, 2), threads);
    }
    if (!skipped.contains("peer")) {
      LlamaCppRpc.find().ifPresentOrElse(rpc -> rpc.print(model), LlamaCppRpc::missing);
    }
  }

  private void compare(LayerShares shares, int processes, int threads, boolean many)
      throws Exception {
    int total = many ? processes * threads : processes;
    try (Engine one = Engine.open(model, settings.withThreads(total));
        ProcessPipe ring = ProcessPipe.open(model, shares, settings, threads, false)) {
      same(one, ring.engine());
      if (!skipped.contains("single")) {
        series(one, ring, 1, total, 0.85);
      }
      if (many) {
        series(one, ring, sequences, total, 0.95);
      }
      bytes(ring, processes);
    }
  }

  private void series(Engine one, ProcessPipe ring, int count, int total, double goal)
      throws Exception {
    InterleavedRounds series =
        new InterleavedRounds()
            .add("one process, %d threads".formatted(total), () -> decode(one, count))
            .add(
                "pipe, %d sequences (goal %.2fx)".formatted(count, goal),
                () -> decode(ring.engine(), count));
    series.run(rounds).print("token");
  }

  /** Checks that the same prompt gives the same tokens. */
  private void same(Engine one, Engine pipe) throws InterruptedException {
    int[] here = generate(one, 1, prompt, output).getFirst().tokens();
    int[] there = generate(pipe, 1, prompt, output).getFirst().tokens();
    if (!Arrays.equals(here, there)) {
      throw new IllegalStateException("the pipe gives different tokens than one process");
    }
  }

  /** Tokens per second after the prompts: from the time when all sequences have one to the end. */
  private double decode(Engine engine, int count) throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(count);
    AtomicLong tokens = new AtomicLong();
    List<Generation> generations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean[] first = {true};
      generations.add(
          engine.submit(
              request(engine, i, prompt, output),
              (token, text, logprobs) -> {
                tokens.incrementAndGet();
                if (first[0]) {
                  first[0] = false;
                  begun.countDown();
                }
              }));
    }
    begun.await();
    long start = System.nanoTime();
    long before = tokens.get();
    for (Generation generation : generations) {
      check(generation.await());
    }
    return (tokens.get() - before) * 1e9 / (System.nanoTime() - start);
  }

  private List<GenerationResult> generate(Engine engine, int count, int length, int more)
      throws InterruptedException {
    List<Generation> generations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      generations.add(
          engine.submit(request(engine, i, length, more), (token, text, logprobs) -> {}));
    }
    List<GenerationResult> results = new ArrayList<>();
    for (Generation generation : generations) {
      results.add(check(generation.await()));
    }
    return results;
  }

  private GenerationRequest request(Engine engine, int number, int length, int more) {
    int[] tokens = engine.prompts().raw(texts.of(new Random(number), length));
    return GenerationRequest.of(tokens, Sampling.greedy(), more).ignoringEnd();
  }

  private static GenerationResult check(GenerationResult result) {
    if (!result.reason().isEmpty()) {
      throw new IllegalStateException(result.finish() + ": " + result.reason());
    }
    return result;
  }

  private void bytes(ProcessPipe ring, int processes) throws InterruptedException {
    OriginStats.Traffic before = ring.origin().stats().traffic();
    generate(ring.engine(), sequences, prompt, output);
    OriginStats.Traffic after = ring.origin().stats().traffic();
    double rows = sequences * (prompt + output - 1.0);
    System.out.printf(
        Locale.ROOT,
        "%.0f bytes leave the origin and %.0f come back for each token (%d hops; a state is %d)%n",
        (after.bytesSent() - before.bytesSent()) / rows,
        (after.bytesReceived() - before.bytesReceived()) / rows,
        processes,
        4 * ring.engine().model().width());
  }

  /** Kills a node while a sequence generates; another has the same layers. */
  private void recovery(LayerShares shares, int threads) throws Exception {
    System.out.printf(Locale.ROOT, "%na node is killed, another has its layers%n");
    int length = Math.min(512, settings.context() - 80);
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      try (ProcessPipe ring =
          ProcessPipe.open(model, shares, settings.withPrefixReuse(false), threads, true)) {
        generate(ring.engine(), 1, length, 2);
        long gap = killed(ring, length);
        long start = System.nanoTime();
        generate(ring.engine(), 1, length + 16, 1);
        double prefill = System.nanoTime() - start;
        ratios.add(gap / prefill);
        System.out.printf(
            Locale.ROOT,
            "  no token for %.2f s; the prefill of its %d tokens takes %.2f s%n",
            gap / 1e9,
            length + 16,
            prefill / 1e9);
      }
    }
    System.out.printf(
        Locale.ROOT, "recovery / prefill %.2fx  %s%n", InterleavedRounds.median(ratios), ratios);
  }

  /** The longest time between two tokens; the node dies after the sixteenth. */
  private long killed(ProcessPipe ring, int length) throws InterruptedException {
    long[] last = {0};
    long[] longest = {0};
    int[] count = {0};
    Generation generation =
        ring.engine()
            .submit(
                request(ring.engine(), 99, length, 40),
                (token, text, logprobs) -> {
                  long now = System.nanoTime();
                  if (count[0]++ >= 16) {
                    longest[0] = Math.max(longest[0], now - last[0]);
                  }
                  last[0] = now;
                  if (count[0] == 16) {
                    ring.killLast();
                  }
                });
    check(generation.await());
    return longest[0];
  }
}
