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
 * Computes the vectors of several texts in one batch. The thread of the first waiting request
 * computes, when the model is free, for itself and for the requests behind it with the same
 * options; then the next thread does. A vector does not depend on the other texts of its batch.
 * Thread-safe.
 */
final class EmbedBatcher {
  private static final int MAX_BATCH = 64;

  private final BatchEmbedder model;
  private final Queue<QueuedText> queue = new ArrayDeque<>(); // guarded by this
  private boolean computing; // guarded by this

  /** Computes a batch, as {@link Embeddings#embed}. */
  @FunctionalInterface
  interface BatchEmbedder {
    float[][] embed(int[][] texts, Pooling pooling, boolean normalise);
  }

  EmbedBatcher(BatchEmbedder model) {
    this.model = model;
  }

  /** Adds a text to the queue. */
  QueuedText submit(int[] tokens, Pooling pooling, boolean normalise) {
    QueuedText request = new QueuedText(tokens, pooling, normalise);
    synchronized (this) {
      queue.add(request);
    }
    return request;
  }

  /** A text in the queue. */
  final class QueuedText {
    private final int[] tokens;
    private final Pooling pooling;
    private final boolean normalise;
    private boolean ended; // guarded by the batcher
    private float @Nullable [] vector; // guarded by the batcher
    private @Nullable Throwable problem; // guarded by the batcher

    private QueuedText(int[] tokens, Pooling pooling, boolean normalise) {
      this.tokens = tokens;
      this.pooling = pooling;
      this.normalise = normalise;
    }

    private boolean fitsWith(QueuedText other) {
      return pooling == other.pooling && normalise == other.normalise;
    }

    /** Leaves the queue; does nothing once it is being computed. */
    void cancel() {
      synchronized (EmbedBatcher.this) {
        if (queue.remove(this)) {
          end(null, null);
          EmbedBatcher.this.notifyAll(); // another request may be the first now
        }
      }
    }

    /**
     * Waits for the vector; empty if the request was cancelled.
     *
     * @throws EngineException if it could not be computed
     */
    Optional<float[]> await() throws InterruptedException {
      try {
        List<QueuedText> batch = awaitBatch(this);
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
              "the text could not be embedded: " + PipeProcessor.reason(problem), problem);
        }
        return Optional.ofNullable(vector);
      }
    }

    private void end(float @Nullable [] result, @Nullable Throwable error) {
      ended = true;
      vector = result;
      problem = error;
    }
  }

  /**
   * Waits until the request has ended, or until it is the first and the model is free: then returns
   * the batch to compute.
   */
  private synchronized List<QueuedText> awaitBatch(QueuedText own) throws InterruptedException {
    if (!own.ended && Thread.interrupted()) {
      throw new InterruptedException(); // a request whose turn it is would never wait
    }
    while (!own.ended && (computing || queue.peek() != own)) {
      wait();
    }
    List<QueuedText> batch = new ArrayList<>();
    while (!own.ended
        && batch.size() < MAX_BATCH
        && queue.peek() instanceof QueuedText request
        && request.fitsWith(own)) {
      batch.add(queue.remove());
    }
    computing |= !batch.isEmpty();
    return batch;
  }

  private void computeAndFree(List<QueuedText> batch) {
    try {
      compute(batch);
    } finally {
      free();
    }
  }

  private void compute(List<QueuedText> batch) {
    try {
      int[][] texts = batch.stream().map(request -> request.tokens).toArray(int[][]::new);
      QueuedText first = batch.getFirst();
      float[][] vectors = model.embed(texts, first.pooling, first.normalise);
      synchronized (this) {
        for (int i = 0; i < vectors.length; i++) {
          batch.get(i).end(vectors[i], null);
        }
      }
    } catch (Throwable e) { // those who wait must get every error
      if (batch.size() > 1) {
        batch.forEach(
            request -> compute(List.of(request))); // an error of one text must not fail the others
      } else {
        fail(batch.getFirst(), e);
      }
    }
  }

  private synchronized void fail(QueuedText request, Throwable error) {
    request.end(null, error);
  }

  private synchronized void free() {
    computing = false;
    notifyAll();
  }
}
