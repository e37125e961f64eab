package dev.millrace.bench;

import dev.millrace.bench.chat.CompletionStream;
import dev.millrace.bench.chat.ModelServer;
import dev.millrace.bench.harness.BenchOptions;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.model.RandomPrompts;
import dev.millrace.bench.model.RandomWeights;
import dev.millrace.bench.model.SamplingChoice;
import dev.millrace.bench.model.Workload;
import dev.millrace.bench.model.WorkloadRunner;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Lever;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;

/**
 * Interactive requests to a server: the time to the first token on an idle server and beside a job
 * of 10,000 tasks, what that job loses by it, the rate of many streams at once against the engine
 * alone, and what streams cost that wait.
 *
 * <p>Options: {@code --model} (a file, or as {@link RandomWeights} has it), {@code --slots}, {@code
 * --requests} for each median, {@code --prompt} tokens of them, {@code --seconds} of each look at
 * the job's rate, {@code --output} tokens of each of the streams, {@code --idle} streams that wait.
 */
public final class ChatBench {
  private static final int TASKS = 10_000;
  private static final int CONTEXT = 1_024;

  private final BenchOptions options;
  private final Path model;
  private final RandomPrompts texts;
  private final RandomGenerator random = new Random(18);
  private final int slots;

  private ChatBench(BenchOptions options, Path model) {
    this.options = options;
    this.model = model;
    this.texts = RandomPrompts.of(model);
    this.slots = options.number("slots", 64);
  }

  public static void main(String[] args) throws Exception {
    BenchOptions options =
        new BenchOptions(
            args, Set.of("model", "slots", "requests", "prompt", "seconds", "output", "idle"));
    String name = options.text("model").orElse("1b-Q4_0");
    try {
      System.out.println(name);
      new ChatBench(options, RandomWeights.file(ScratchDirectories.fresh("model"), name)).run();
    } finally {
      ScratchDirectories.clean();
    }
  }

  private void run() throws Exception {
    double streams;
    try (ModelServer server =
        ModelServer.start(ScratchDirectories.fresh("chat"), model, slots, CONTEXT)) {
      besideJob(server);
      streams = streams(server);
      waiting(server);
    }
    engineAlone(streams); // after the server: both use all cores
  }

  /** The time to the first token, alone and beside a job; and the job's rate, alone and so. */
  private void besideJob(ModelServer server) throws Exception {
    firstToken(server, 1); // warm
    double idle = firstToken(server, options.number("requests", 9));
    Workspace workspace = Workspace.open(server.workspace());
    JobId job = workspace.submitter().submit(job());
    while (server.metric("millrace_batch_sequences") < slots) {
      Thread.sleep(200);
    }
    double alone = jobRate(server);
    List<Double> times = new ArrayList<>();
    long end = System.nanoTime() + options.number("seconds", 60) * 1_000_000_000L;
    double before = generated(server);
    long start = System.nanoTime();
    int own = 0;
    while (System.nanoTime() < end) {
      CompletionStream one = one(server);
      times.add(one.firstNanos() / 1e6);
      own += one.tokens();
    }
    double beside = (generated(server) - before - own) / ((System.nanoTime() - start) / 1e9);
    workspace.controls().apply(job, new Lever.Abort(), Cause.SYSTEM);
    double busy = InterleavedRounds.median(times);
    System.out.printf(
        Locale.ROOT,
        "first token, ms: idle %.0f, beside a job %.0f, %.2fx (%d requests)%n",
        idle,
        busy,
        busy / idle,
        times.size());
    System.out.printf(
        Locale.ROOT,
        "the job's tokens/s: alone %.1f, beside one request after the other %.1f, %.2fx%n",
        alone,
        beside,
        beside / alone);
  }

  private JobSpec job() {
    List<TaskSpec> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(TaskSpec.of(texts.of(random, 32)));
    }
    return JobSpec.of(
        List.of(
            StageSpec.builder("generate")
                .data(new SamplingChoice(0).parameters(64))
                .tasks(tasks)
                .build()));
  }

  private CompletionStream one(ModelServer server) throws Exception {
    return CompletionStream.run(server, random, options.number("prompt", 512), 8);
  }

  private double firstToken(ModelServer server, int requests) throws Exception {
    List<Double> times = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      times.add(one(server).firstNanos() / 1e6);
    }
    return InterleavedRounds.median(times);
  }

  private double jobRate(ModelServer server) throws Exception {
    double before = generated(server);
    long start = System.nanoTime();
    Thread.sleep(options.number("seconds", 60) * 1_000L);
    return (generated(server) - before) / ((System.nanoTime() - start) / 1e9);
  }

  /** Tokens of generations that have ended. */
  private static double generated(ModelServer server) throws Exception {
    return server.metric("millrace_tokens_total{kind=\"generated\"");
  }

  /** As many streams as there are slots, at once: tokens a second over all. */
  private double streams(ModelServer server) throws Exception {
    all(server, slots, 16); // warm
    long start = System.nanoTime();
    int tokens = all(server, slots, options.number("output", 128));
    return tokens / ((System.nanoTime() - start) / 1e9);
  }

  private int all(ModelServer server, int count, int output) throws Exception {
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<CompletionStream>> calls = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        RandomGenerator own = new Random(random.nextLong());
        calls.add(() -> CompletionStream.run(server, own, 32, output));
      }
      int tokens = 0;
      for (Future<CompletionStream> call : pool.invokeAll(calls)) {
        tokens += call.get().tokens();
      }
      return tokens;
    }
  }

  /** The threads and the memory that many streams take, most of which wait for a slot. */
  private void waiting(ModelServer server) throws Exception {
    int count = options.number("idle", 1_000);
    int threads = server.threads();
    int memory = server.residentMegabytes();
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<CompletionStream>> open = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        RandomGenerator own = new Random(random.nextLong());
        open.add(pool.submit(() -> CompletionStream.run(server, own, 32, 8)));
      }
      while (server.metric("millrace_http_streams") < Math.min(count, count - slots)) {
        Thread.sleep(50);
      }
      System.out.printf(
          Locale.ROOT,
          "%d streams: %d threads more, %d MB more%n",
          count,
          server.threads() - threads,
          server.residentMegabytes() - memory);
      for (Future<CompletionStream> each : open) {
        each.get();
      }
    }
  }

  private void engineAlone(double streams) throws Exception {
    EngineSettings settings = EngineSettings.usual().withSlots(slots).withContext(CONTEXT);
    WorkloadRunner runner = new WorkloadRunner(model, texts, settings, new SamplingChoice(0));
    Workload load = Workload.unrelated(texts, slots, 32, options.number("output", 128), 3);
    double engine = runner.engine(load).perSecond();
    System.out.printf(
        Locale.ROOT,
        "%d streams at once: %.1f tokens/s, the engine alone %.1f, %.2fx%n",
        slots,
        streams,
        engine,
        streams / engine);
  }
}
