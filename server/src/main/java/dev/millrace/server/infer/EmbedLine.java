package dev.millrace.server.infer;

import dev.millrace.engine.Embeddings;
import dev.millrace.engine.model.Pooling;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Texts that wait for their vectors: whoever finds the model free computes for all who wait by then.
 * A vector does not depend on its company. Thread-safe.
 */
final class EmbedLine {
  private static final int MOST = 64;

  private final Embeddings embeddings;
  private final Queue<Wish> wishes = new ArrayDeque<>(); // guarded by this
  private boolean computing; // guarded by this

  private record Wish(
      int[] tokens, Pooling pooling, boolean normalise, CompletableFuture<float[]> vector) {
    boolean fitsWith(Wish other) {
      return pooling == other.pooling && normalise == other.normalise;
    }
  }

  EmbedLine(Embeddings embeddings) {
    this.embeddings = embeddings;
  }

  /**
   * The vector of a text.
   *
   * @throws dev.millrace.engine.EngineException if it cannot have one
   */
  float[] embed(int[] tokens, Pooling pooling, boolean normalise) throws InterruptedException {
    Wish mine = new Wish(tokens, pooling, normalise, new CompletableFuture<>());
    boolean free;
    synchronized (this) {
      wishes.add(mine);
      free = !computing;
      computing = true;
    }
    if (free) {
      computeAll();
    }
    try {
      return mine.vector.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException problem
          ? problem
          : new IllegalStateException(e.getCause());
    }
  }

  private void computeAll() {
    for (List<Wish> batch = next(); !batch.isEmpty(); batch = next()) {
      compute(batch);
    }
  }

  /** The first who wait and want the same; empty, and the model free, when nobody waits. */
  private synchronized List<Wish> next() {
    List<Wish> batch = new ArrayList<>();
    Wish first = wishes.peek();
    while (first != null
        && batch.size() < MOST
        && wishes.peek() instanceof Wish wish
        && wish.fitsWith(first)) {
      batch.add(wishes.remove());
    }
    computing = !batch.isEmpty();
    return batch;
  }

  private void compute(List<Wish> batch) {
    try {
      Wish first = batch.getFirst();
      int[][] texts = batch.stream().map(Wish::tokens).toArray(int[][]::new);
      float[][] vectors = embeddings.embed(texts, first.pooling, first.normalise);
      for (int i = 0; i < vectors.length; i++) {
        batch.get(i).vector.complete(vectors[i]);
      }
    } catch (Throwable e) { // whoever waits must learn of it, whatever it is
      batch.forEach(wish -> wish.vector.completeExceptionally(e));
    }
  }
}
