package dev.millrace.server.infer.model;

import dev.millrace.engine.Embeddings;
import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Texts that wait for their vectors. Whoever is first in line when the model is free computes once,
 * for himself and those behind him who want the same; then it is the next one's turn. A vector does
 * not depend on its company. Thread-safe.
 */
final class EmbedBatcher {
  private static final int MOST = 64;

  private final BatchEmbedder model;
  private final Queue<EmbedRequest> queue = new ArrayDeque<>(); // guarded by this
  private boolean computing; // guarded by this

  /** What computes: {@link Embeddings#embed}. */
  @FunctionalInterface
  interface BatchEmbedder {
    float[][] embed(int[][] texts, Pooling pooling, boolean normalise);
  }

  EmbedBatcher(BatchEmbedder model) {
    this.model = model;
  }

  /** Takes a text into the line. */
  EmbedRequest submit(int[] tokens, Pooling pooling, boolean normalise) {
    EmbedRequest wish = new EmbedRequest(tokens, pooling, normalise);
    synchronized (this) {
      queue.add(wish);
    }
    return wish;
  }

  /** A place in the line. */
  final class EmbedRequest {
    private final int[] tokens;
    private final Pooling pooling;
    private final boolean normalise;
    private boolean over; // guarded by the line
    private float @Nullable [] vector; // guarded by the line
    private @Nullable Throwable problem; // guarded by the line

    private EmbedRequest(int[] tokens, Pooling pooling, boolean normalise) {
      this.tokens = tokens;
      this.pooling = pooling;
      this.normalise = normalise;
    }

    private boolean fitsWith(EmbedRequest other) {
      return pooling == other.pooling && normalise == other.normalise;
    }

    /** Leaves the line; does nothing once it is being computed. */
    void cancel() {
      synchronized (EmbedBatcher.this) {
        if (queue.remove(this)) {
          end(null, null);
          EmbedBatcher.this.notifyAll(); // another may be the first now
        }
      }
    }

    /**
     * Waits for the vector; empty if the wish was withdrawn.
     *
     * @throws EngineException if there is none for it
     */
    Optional<float[]> await() throws InterruptedException {
      try {
        List<EmbedRequest> batch = awaitBatch(this);
        if (!batch.isEmpty()) {
          computeAndFree(batch);
        }
      } catch (InterruptedException e) {
        cancel();
        throw e;
      }
      return outcome();
    }

    private Optional<float[]> outcome() {
      synchronized (EmbedBatcher.this) {
        if (problem != null) {
          throw new EngineException(
              "it could not be embedded: " + PipeProcessor.reason(problem), problem);
        }
        return Optional.ofNullable(vector);
      }
    }

    private void end(float @Nullable [] given, @Nullable Throwable why) {
      over = true;
      vector = given;
      problem = why;
    }
  }

  /**
   * Waits until it is over, or until it is the first and the model free: then who is to be
   * computed.
   */
  private synchronized List<EmbedRequest> awaitBatch(EmbedRequest mine)
      throws InterruptedException {
    while (!mine.over && (computing || queue.peek() != mine)) {
      wait();
    }
    List<EmbedRequest> batch = new ArrayList<>();
    while (!mine.over
        && batch.size() < MOST
        && queue.peek() instanceof EmbedRequest wish
        && wish.fitsWith(mine)) {
      batch.add(queue.remove());
    }
    computing |= !batch.isEmpty();
    return batch;
  }

  private void computeAndFree(List<EmbedRequest> batch) {
    try {
      compute(batch);
    } finally {
      free();
    }
  }

  private void compute(List<EmbedRequest> batch) {
    try {
      int[][] texts = batch.stream().map(wish -> wish.tokens).toArray(int[][]::new);
      EmbedRequest first = batch.getFirst();
      float[][] vectors = model.embed(texts, first.pooling, first.normalise);
      synchronized (this) {
        for (int i = 0; i < vectors.length; i++) {
          batch.get(i).end(vectors[i], null);
        }
      }
    } catch (Throwable e) { // whoever waits must learn of it, whatever it is
      if (batch.size() > 1) {
        batch.forEach(wish -> compute(List.of(wish))); // what fails one fails no other
      } else {
        fail(batch.getFirst(), e);
      }
    }
  }

  private synchronized void fail(EmbedRequest wish, Throwable why) {
    wish.end(null, why);
  }

  private synchronized void free() {
    computing = false;
    notifyAll();
  }
}
