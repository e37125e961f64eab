package dev.millrace.bench.model;

import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Runs a workload in three ways. Each loads the model, warms up, and measures: no run uses a cache
 * of another.
 */
public final class WorkloadRunner {
  private static final Duration LIMIT = Duration.ofHours(1);

  private final Path model;
  private final RandomPrompts texts;
  private final EngineSettings settings;
  private final SamplingChoice choice;

  public WorkloadRunner(
      Path model, RandomPrompts texts, EngineSettings settings, SamplingChoice choice) {
    this.model = model;
    this.texts = texts;
    this.settings = settings;
    this.choice = choice;
  }

  /** Runs everything once for the JIT compiler; otherwise the first contender would pay for it. */
  public void compile(Workload load) throws Exception {
    engine(warmUp(load));
    system(warmUp(load));
  }

  private Workload warmUp(Workload load) {
    return Workload.warmUp(texts, load, settings.slots());
  }

  /** The engine alone: all requests at once, until the last result. */
  public WorkloadResult engine(Workload load) throws InterruptedException {
    try (Engine engine = Engine.open(model, settings)) {
      generate(engine, warmUp(load));
      return generate(engine, load);
    }
  }

  private WorkloadResult generate(Engine engine, Workload load) throws InterruptedException {
    long start = System.nanoTime();
    List<Generation> generations = new ArrayList<>();
    for (String prompt : load.prompts()) {
      GenerationRequest request =
          GenerationRequest.of(engine.prompts().raw(prompt), choice.sampling(), load.output())
              .ignoringEnd()
              .withOrder(generations.size());
      generations.add(engine.submit(request, (token, text, logprobs) -> {}));
    }
    long tokens = 0;
    long reused = 0;
    for (Generation generation : generations) {
      GenerationResult result = generation.await();
      expect(load.output(), result.tokens().length, result.finish() + " " + result.reason());
      tokens += result.tokens().length;
      reused += result.usage().cachedTokens();
    }
    return new WorkloadResult(tokens, System.nanoTime() - start, reused);
  }

  /** The whole system: from the first submission to the last result on disk. */
  public WorkloadResult system(Workload load) throws Exception {
    try (ServingSystem mill =
        ServingSystem.open(ScratchDirectories.fresh("system"), model, settings)) {
      work(mill, warmUp(load));
      return work(mill, load);
    }
  }

  private WorkloadResult work(ServingSystem mill, Workload load) throws InterruptedException {
    long start = System.nanoTime();
    List<JobId> ids = new ArrayList<>();
    JsonObject parameters = choice.parameters(load.output());
    for (String prompt : load.prompts()) {
      ids.add(mill.submit(prompt, Priority.MEDIUM, parameters));
    }
    for (JobId id : ids) {
      Flow.Status status = mill.flow().await(id, LIMIT);
      if (status != Flow.Status.DONE) {
        String error = mill.flow().get(id).map(Flow.Job::error).orElse(null);
        throw new IllegalStateException("job " + id + " is " + status + ": " + error);
      }
    }
    long nanos = System.nanoTime() - start;
    long tokens = 0;
    long reused = 0;
    for (JobId id : ids) {
      JsonObject receipt = receipt(mill.flow(), id);
      expect(load.output(), receipt.integer("completion_tokens"), "job " + id);
      expect(load.promptTokens(), receipt.integer("prompt_tokens"), "prompt of job " + id);
      tokens += receipt.integer("completion_tokens");
      reused += receipt.integer("cached_tokens", 0);
    }
    return new WorkloadResult(tokens, nanos, reused);
  }

  /** The receipt of a job of one task. */
  public static JsonObject receipt(Flow flow, JobId id) {
    TaskResult result = flow.get(id).orElseThrow().results().getFirst();
    return Objects.requireNonNull(Objects.requireNonNull(result).receipt());
  }

  /**
   * llama.cpp in its own process: several contexts on one model, each of which processes one job
   * after the other.
   */
  public WorkloadResult llamaCpp(Workload load, int contexts, int jobs)
      throws IOException, InterruptedException {
    int threads = Math.max(1, settings.threads() / contexts);
    List<String> command =
        List.of(
            System.getProperty("java.home") + "/bin/java",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            LlamaCppWorkers.class.getName(),
            model.toString(),
            Integer.toString(threads),
            Integer.toString(contexts),
            Integer.toString(jobs),
            Integer.toString(load.promptTokens()),
            Integer.toString(load.output()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();
    if (status != 0) {
      throw new IllegalStateException(
          "llama.cpp ended with " + status + "; set LLAMA_LIB to its libraries, or --skip peer");
    }
    String[] figures = output.strip().split(" ");
    return new WorkloadResult(Long.parseLong(figures[0]), Long.parseLong(figures[1]), 0);
  }

  private static void expect(long wanted, long got, String where) {
    if (wanted != got) {
      throw new IllegalStateException(where + ": " + got + " tokens instead of " + wanted);
    }
  }
}
