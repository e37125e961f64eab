package dev.millrace.engine.oracle;

import dev.millrace.engine.internal.gguf.Gguf;
import java.nio.file.Path;

/**
 * A reference implementation of models in F64 over their dequantized weights, written for clarity,
 * not for speed. Architectures: llama, qwen2, qwen3, qwen3moe, gemma2, gemma3, phi3, gpt2, bert,
 * nomic-bert; what distinguishes them follows llama.cpp ({@code src/models}) and the papers.
 */
public final class ReferenceModel implements AutoCloseable {
  private final Gguf gguf;
  private final Hyperparameters h;
  private final ReferenceWeights weights;
  private final int context;

  /** How the rows of a text become one. */
  public enum Pooling {
    MEAN,
    CLS,
    LAST
  }

  private ReferenceModel(Gguf gguf, int context) {
    this.gguf = gguf;
    this.h = new Hyperparameters(gguf.metadata());
    this.weights = new ReferenceWeights(gguf);
    this.context = context;
  }

  public static ReferenceModel open(Path file) {
    return open(file, 0);
  }

  /**
   * @param context the positions that the model is run with, on which the factors of Phi 3's
   * rotation depend
   */
  public static ReferenceModel open(Path file, int context) {
    return new ReferenceModel(Gguf.open(file), context);
  }

  /** The logits after each token of a text. */
  public double[][] logits(int[] tokens) {
    return logitsOf(new ReferenceSequence(h, weights, context).run(tokens));
  }

  /** The likeliest tokens, {@code count} of them, after a prompt. */
  public int[] generate(int[] prompt, int count) {
    ReferenceSequence sequence = new ReferenceSequence(h, weights, context);
    int[] generated = new int[count];
    int[] next = prompt;
    for (int i = 0; i < count; i++) {
      double[][] states = sequence.run(next);
      double[] logits = logitsOf(new double[][] {states[states.length - 1]})[0];
      generated[i] = largest(logits);
      next = new int[] {generated[i]};
    }
    return generated;
  }

  /** The embedding of a text, not normalised. */
  public double[] embed(int[] tokens, Pooling pooling) {
    double[][] states = new ReferenceSequence(h, weights, context).run(tokens);
    return switch (pooling) {
      case CLS -> states[0];
      case LAST -> states[states.length - 1];
      case MEAN -> mean(states);
    };
  }

  @Override
  public void close() {
    gguf.close();
  }

  private double[][] logitsOf(double[][] states) {
    String head = weights.has("output.weight") ? "output.weight" : "token_embd.weight";
    double[][] logits = new double[states.length][];
    for (int i = 0; i < states.length; i++) {
      logits[i] = weights.get(head).times(states[i]);
      for (int t = 0; t < logits[i].length; t++) {
        logits[i][t] = ReferenceArithmetic.softcap(logits[i][t], h.logitSoftcap());
      }
    }
    return logits;
  }

  private static double[] mean(double[][] rows) {
    double[] mean = new double[rows[0].length];
    for (double[] row : rows) {
      for (int i = 0; i < mean.length; i++) {
        mean[i] += row[i] / rows.length;
      }
    }
    return mean;
  }

  private static int largest(double[] values) {
    int best = 0;
    for (int i = 1; i < values.length; i++) {
      if (values[i] > values[best]) {
        best = i;
      }
    }
    return best;
  }
}
