package dev.millrace.bench.model;

import dev.millrace.engine.llamacpp.LlamaCpp;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs llama.cpp like a pool of workers: one model, a new context for each job, the threads divided
 * among the workers: LlamaCppWorkers MODEL THREADS WORKERS JOBS PROMPT OUTPUT. Prints one line:
 * tokens generated, and nanoseconds.
 *
 * <p>Its tokens are random instead of sampled, and a context is only as long as its job: both
 * favour llama.cpp in the comparison.
 */
public final class LlamaCppWorkers {
  private static final int OVERHEAD = 64;

  private final LlamaCpp model;
  private final int workers;

  private LlamaCppWorkers(LlamaCpp model, int workers) {
    this.model = model;
    this.workers = workers;
  }

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[1]);
    int workers = Integer.parseInt(args[2]);
    int jobs = Integer.parseInt(args[3]);
    int prompt = Integer.parseInt(args[4]);
    int output = Integer.parseInt(args[5]);
    LlamaCpp.Settings settings = LlamaCpp.Settings.of(threads).context(prompt + output + OVERHEAD);
    try (LlamaCpp model = LlamaCpp.load(Path.of(args[0]), settings)) {
      LlamaCppWorkers llama = new LlamaCppWorkers(model, workers);
      llama.run(workers, 8, 4); // warm-up
      long start = System.nanoTime();
      llama.run(jobs, prompt, output);
      System.out.println((long) jobs * output + " " + (System.nanoTime() - start));
    }
  }

  private void run(int jobs, int prompt, int output) throws Exception {
    AtomicInteger next = new AtomicInteger();
    try (ExecutorService pool = Executors.newFixedThreadPool(workers)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < workers; i++) {
        all.add(pool.submit(() -> work(next, jobs, prompt, output)));
      }
      for (Future<?> worker : all) {
        worker.get();
      }
    }
  }

  private void work(AtomicInteger next, int jobs, int prompt, int output) {
    for (int job = next.getAndIncrement(); job < jobs; job = next.getAndIncrement()) {
      try (LlamaCpp context = model.another()) {
        generate(context, new Random(job), prompt, output);
      }
    }
  }

  private static void generate(LlamaCpp context, Random random, int prompt, int output) {
    int vocabulary = context.vocabularySize();
    for (int position = 0; position < prompt; position++) {
      context.add(random.nextInt(vocabulary), position, 0, position == prompt - 1);
    }
    context.decode();
    // The first token comes from the prompt; the last one need not be computed.
    for (int step = 1; step < output; step++) {
      context.add(random.nextInt(vocabulary), prompt + step - 1, 0, true);
      context.decode();
    }
  }
}
