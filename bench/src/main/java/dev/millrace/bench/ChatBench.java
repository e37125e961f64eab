package dev.millrace.bench;

import dev.millrace.bench.chat.CompletionStream;
import dev.millrace.bench.chat.LlamaServerRound;
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
 * --requests} for each median, {@code --prompt} tokens of them, {@code --period} from one to the
 * next beside the job, as a multiple of an idle server's time to the first token, {@code --output}
 * tokens of each of the streams, {@code --stream-prompt} tokens of their prompts, {@code --rounds}
 * of them, {@code --idle} streams that wait; {@code --part} is {@code job}, {@code waiting} or
 * {@code streams} for one of them alone.
 */
public final class ChatBench {
  private static final Set<String> PARTS = Set.of("job", "waiting", "streams");
  private static final int TASKS = 10_000;
  private static final int CONTEXT = 1_024;
  private static final int REQUEST_OUTPUT = 8;
  private static final int OUTPUT = 64; // tokens of each task
  private static final int PROMPT = 32; // tokens of all but the requests beside the job

  private final BenchOptions options;
  private final Path model;
  private final RandomPrompts texts;
  private final RandomGenerator random = new Random(18);
  private final int slots;
  private final int requests;
  private final int streamPrompt;

  private ChatBench(BenchOptions options, Path model) {
    this.options = options;
    this.model = model;
    this.texts = RandomPrompts.of(model);
    this.slots = options.number("slots", 64);
    this.requests = options.number("requests", 5);
    this.streamPrompt = options.number("stream-prompt", PROMPT);
  }

  public static void main(String[] args) throws Exception {
    BenchOptions options =
        new BenchOptions(
            args,
            Set.of(
                "model",
                "slots",
                "requests",
                "prompt",
                "period",
                "output",
                "stream-prompt",
                "rounds",
                "idle",
                "part"));
    String name = options.text("model").orElse("1b-Q4_0");
    try {
      System.out.println(name);
      new ChatBench(options, RandomWeights.file(ScratchDirectories.fresh("model"), name)).run();
    } finally {
      ScratchDirectories.clean();
    }
  }

  private void run() throws Exception {
    try (ModelServer server =
        ModelServer.start(ScratchDirectories.fresh("chat"), model, slots, CONTEXT)) {
      Set<String> parts = options.text("part").map(Set::of).orElse(PARTS);
      if (!PARTS.containsAll(parts)) {
        throw new IllegalArgumentException("--part must be one of " + PARTS);
      }
      if (parts.contains("job")) {
        besideJob(server);
      }
      if (parts.contains("waiting")) {
        waiting(server);
      }
      if (parts.contains("streams")) {
        streams(server);
      }
    }
  }

  /**
   * The time to the first token, alone and beside a job; and the job's rate, alone and with a
   * request from time to time. A request takes all cores for its prompt, so that its period decides
   * what is left for the job: it is a multiple of an idle server's time to the first token.
   */
  private void besideJob(ModelServer server) throws Exception {
    firstToken(server, 1); // warm
    double idle = firstToken(server, requests);
    long period = (long) (idle * 1e6 * options.number("period", 10));
    Workspace workspace = Workspace.open(server.workspace());
    JobId job = workspace.submitter().submit(job());
    while (server.metric("millrace_batch_sequences") < slots) {
      Thread.sleep(200);
    }
    int own = options.number("prompt", 512) + REQUEST_OUTPUT;
    List<Double> alone = new ArrayList<>();
    List<Double> beside = new ArrayList<>();
    List<Double> times = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      alone.add(rate(server, period, 0, () -> {}));
      beside.add(rate(server, period, own, () -> times.add(one(server).firstNanos() / 1e6)));
    }
    workspace.controls().apply(job, new Lever.Abort(), Cause.SYSTEM);
    double busy = InterleavedRounds.median(times);
    System.out.printf(
        Locale.ROOT,
        "first token, ms: idle %.0f, beside a job %.0f, %.2fx (medians of %d)%n",
        idle,
        busy,
        busy / idle,
        times.size());
    System.out.printf(
        Locale.ROOT,
        "the job's rows/s: alone %.1f, with a request each %.0f s %.1f, %.2fx%n",
        mean(alone),
        period / 1e9,
        mean(beside),
        mean(beside) / mean(alone));
  }

  /**
   * The rows of the job a second, over a period that begins with an action. All its tasks are about
   * equally far, so that its tokens come in waves, one for each time that they all begin; the rows
   * of its prompts and its tokens together do not. What preempted tasks compute again is not
   * counted.
   *
   * @param own the rows of the action
   */
  private static double rate(ModelServer server, long period, int own, Action action)
      throws Exception {
    double before = jobRows(server);
    long start = System.nanoTime();
    action.run();
    while (System.nanoTime() - start < period) {
      Thread.sleep(100);
    }
    return (jobRows(server) - before - own) / ((System.nanoTime() - start) / 1e9);
  }

  private static double jobRows(ModelServer server) throws Exception {
    int most = PROMPT + OUTPUT; // that a preempted task computes again
    return server.metric("millrace_batch_rows_total")
        - most * server.metric("millrace_preemptions_total");
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }

  /** What a period begins with. */
  @FunctionalInterface
  private interface Action {
    void run() throws Exception;
  }

  private JobSpec job() {
    List<TaskSpec> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(TaskSpec.of(texts.of(random, PROMPT)));
    }
    return JobSpec.of(
        List.of(
            StageSpec.builder("generate")
                .data(new SamplingChoice(0).parameters(OUTPUT))
                .tasks(tasks)
                .build()));
  }

  private CompletionStream one(ModelServer server) throws Exception {
    return CompletionStream.run(server, random, options.number("prompt", 512), REQUEST_OUTPUT);
  }

  private double firstToken(ModelServer server, int requests) throws Exception {
    List<Double> times = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      times.add(one(server).firstNanos() / 1e6);
    }
    return InterleavedRounds.median(times);
  }

  /** As many streams as there are slots, at once, beside the engine with as many sequences. */
  private void streams(ModelServer server) throws Exception {
    int output = options.number("output", 128);
    EngineSettings settings = EngineSettings.usual().withSlots(slots).withContext(CONTEXT);
    WorkloadRunner runner = new WorkloadRunner(model, texts, settings, new SamplingChoice(0));
    Workload load = Workload.unrelated(texts, slots, streamPrompt, output, 3);
    InterleavedRounds rounds =
        new InterleavedRounds()
            .add("the engine with " + slots + " sequences", () -> runner.engine(load).perSecond())
            .add(slots + " streams at once", () -> perSecond(server, output));
    Path llama = LlamaServerRound.program();
    if (llama == null) {
      System.out.println("llama-server is not on the PATH");
      all(server, slots, 16); // warm; the engine warms itself
      rounds.runWarm(options.number("rounds", 3)).print("tokens");
      return;
    }
    try (ModelServer peer =
        ModelServer.startLlama(llama, ScratchDirectories.fresh("llama"), model, slots, CONTEXT)) {
      rounds.add("llama-server, " + slots + " streams", () -> perSecond(peer, output));
      all(server, slots, 16);
      all(peer, slots, 16);
      rounds.runWarm(options.number("rounds", 3)).print("tokens");
    }
  }

  private double perSecond(ModelServer server, int output) throws Exception {
    long start = System.nanoTime();
    int tokens = all(server, slots, output);
    return tokens / ((System.nanoTime() - start) / 1e9);
  }

  private int all(ModelServer server, int count, int output) throws Exception {
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<CompletionStream>> calls = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        RandomGenerator own = new Random(random.nextLong());
        calls.add(() -> CompletionStream.run(server, own, streamPrompt, output));
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
        open.add(pool.submit(() -> CompletionStream.run(server, own, PROMPT, 8)));
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
      open.forEach(stream -> stream.cancel(true)); // to compute them all would take minutes
    }
    while (server.metric("millrace_http_streams") > 0) {
      Thread.sleep(50);
    }
  }
}
