package dev.millrace.engine.oracle;

import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.LocalModel;
import dev.millrace.engine.internal.pipe.Batch;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;

/** The engine's own forward pass, with the calls that the reference and llama.cpp have. */
final class EngineForward implements AutoCloseable {
  private final LocalModel model;

  private EngineForward(LocalModel model) {
    this.model = model;
  }

  static EngineForward load(Path file, LoadSettings settings) {
    return new EngineForward(LocalModel.open(file, settings));
  }

  /** The logits after each token of a text, computed in one turn. */
  float[][] logits(int[] tokens) {
    return logits(0, tokens);
  }

  /** The likeliest tokens, {@code count} of them, after a prompt. */
  int[] generate(int[] prompt, int count) {
    int[] generated = new int[count];
    int[] next = prompt;
    int position = 0;
    for (int i = 0; i < count; i++) {
      float[][] logits = logits(position, next);
      generated[i] = largest(logits[next.length - 1]);
      position += next.length;
      next = new int[] {generated[i]};
    }
    return generated;
  }

  private static int largest(float[] values) {
    int best = 0;
    for (int i = 1; i < values.length; i++) {
      if (values[i] > values[best]) {
        best = i;
      }
    }
    return best;
  }

  /** The logits of tokens that follow those of earlier calls. */
  private float[][] logits(int position, int[] tokens) {
    int vocabulary = model.config().vocabulary();
    Batch batch = new Batch(model.config().width(), tokens.length, 1);
    batch.add(position, tokens.length, IntStream.range(0, model.settings().pages()).toArray());
    model.end().embed(batch, 0, tokens, 0, tokens.length);
    model.segment().forward(batch);
    int[] rows = IntStream.range(0, tokens.length).toArray();
    float[] logits = new float[tokens.length * vocabulary];
    model.end().head(batch, rows, tokens.length, logits);
    float[][] split = new float[tokens.length][];
    for (int i = 0; i < tokens.length; i++) {
      split[i] = Arrays.copyOfRange(logits, i * vocabulary, (i + 1) * vocabulary);
    }
    return split;
  }

  /** The embedding of a text, not normalised. */
  float[] embed(int[] tokens, ReferenceModel.Pooling pooling) {
    return model
        .embedder()
        .embed(tokens, dev.millrace.engine.api.Pooling.valueOf(pooling.name()), false);
  }

  @Override
  public void close() {
    model.close();
  }
}
