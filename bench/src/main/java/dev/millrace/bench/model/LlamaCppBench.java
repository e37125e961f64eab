package dev.millrace.bench.model;

import dev.millrace.engine.llamacpp.LlamaCpp;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/**
 * Measures llama.cpp on a model as {@code millrace bench} measures ours: LlamaCppBench MODEL
 * THREADS PROMPT GENERATE BATCH,BATCH… {@code LLAMA_LIB} is the directory of its libraries. Prints
 * one line: prefill, then decode for each batch, in tokens a second.
 */
public final class LlamaCppBench {
  private static final int ROUNDS = 3;
  private static final Random RANDOM = new Random(1);

  private LlamaCppBench() {}

  public static void main(String[] args) {
    int prompt = Integer.parseInt(args[2]);
    int generate = Integer.parseInt(args[3]);
    int[] batches = Arrays.stream(args[4].split(",")).mapToInt(Integer::parseInt).toArray();
    int most = Arrays.stream(batches).max().orElse(1);
    int depth = args.length > 5 ? Integer.parseInt(args[5]) : 4;
    int length = Math.max(prompt, depth + generate) + 64;
    LlamaCpp.Settings settings =
        LlamaCpp.Settings.of(Integer.parseInt(args[1])).context(length).sequences(most);
    try (LlamaCpp model = LlamaCpp.load(Path.of(args[0]), settings)) {
      StringBuilder line = new StringBuilder();
      line.append(String.format(Locale.ROOT, "%.3f", median(() -> prefill(model, prompt))));
      for (int size : batches) {
        line.append(String.format(Locale.ROOT, " %.3f", warmDecode(model, size, generate, depth)));
      }
      System.out.println(line);
    }
  }

  private interface Measurement {
    double take();
  }

  private static double median(Measurement measurement) {
    double[] figures = new double[ROUNDS];
    for (int i = -1; i < ROUNDS; i++) {
      double figure = measurement.take();
      if (i >= 0) {
        figures[i] = figure;
      }
    }
    Arrays.sort(figures);
    return figures[ROUNDS / 2];
  }

  private static double prefill(LlamaCpp model, int prompt) {
    model.clear();
    long start = System.nanoTime();
    for (int position = 0; position < prompt; position++) {
      model.add(RANDOM.nextInt(model.vocabularySize()), position, 0, position == prompt - 1);
    }
    model.decode();
    return prompt * 1e9 / (System.nanoTime() - start);
  }

  private static double warmDecode(LlamaCpp model, int size, int generate, int depth) {
    decode(model, size, Math.min(16, generate), 4);
    return decode(model, size, generate, depth);
  }

  private static double decode(LlamaCpp model, int size, int generate, int depth) {
    model.clear();
    for (int sequence = 0; sequence < size; sequence++) {
      for (int position = 0; position < depth; position++) {
        boolean last = position == depth - 1;
        model.add(RANDOM.nextInt(model.vocabularySize()), position, sequence, last);
      }
    }
    model.decode();
    long start = System.nanoTime();
    for (int step = 1; step < generate; step++) {
      for (int sequence = 0; sequence < size; sequence++) {
        model.add(RANDOM.nextInt(model.vocabularySize()), depth - 1 + step, sequence, true);
      }
      model.decode();
    }
    return size * (generate - 1) * 1e9 / (System.nanoTime() - start);
  }
}
