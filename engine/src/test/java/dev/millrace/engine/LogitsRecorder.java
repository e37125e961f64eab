package dev.millrace.engine;

import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.EmbeddingAndHead;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/** Records the logits of the head by the tokens that led to them. */
final class LogitsRecorder implements EmbeddingAndHead {
  private final EmbeddingAndHead end;
  private final Map<Batch, int[][]> tokens = new IdentityHashMap<>(); // of each run
  private final Map<Long, Long> logitsAfter =
      new HashMap<>(); // digest of logits by digest of tokens

  LogitsRecorder(EmbeddingAndHead end) {
    this.end = end;
  }

  @Override
  public int vocabulary() {
    return end.vocabulary();
  }

  @Override
  public int width() {
    return end.width();
  }

  @Override
  public void embed(Batch batch, int row, int[] all, int offset, int count) {
    tokens.computeIfAbsent(batch, b -> new int[b.pages.length][])[batch.runOf[row]] = all;
    end.embed(batch, row, all, offset, count);
  }

  @Override
  public void head(Batch batch, int[] rows, int count, float[] logits) {
    end.head(batch, rows, count, logits);
    for (int i = 0; i < count; i++) {
      int[] history = tokens.get(batch)[batch.runOf[rows[i]]];
      long key = digest(history, batch.position[rows[i]] + 1);
      long value = digest(logits, i * vocabulary(), vocabulary());
      Long before = logitsAfter.put(key, value);
      if (before != null && before != value) {
        throw new IllegalStateException(
            "the same tokens gave two logits, at position " + batch.position[rows[i]]);
      }
    }
  }

  @Override
  public void norm(Batch batch, int row, float[] out, int offset) {
    end.norm(batch, row, out, offset);
  }

  /** The digest of the logits after a prompt and after each generated token but the last. */
  long[] after(int[] prompt, int[] generated) {
    int[] all = java.util.Arrays.copyOf(prompt, prompt.length + generated.length);
    System.arraycopy(generated, 0, all, prompt.length, generated.length);
    long[] digests = new long[generated.length];
    for (int i = 0; i < generated.length; i++) {
      digests[i] = logitsAfter.get(digest(all, prompt.length + i));
    }
    return digests;
  }

  private static long digest(int[] x, int count) {
    long digest = 1;
    for (int i = 0; i < count; i++) {
      digest = fold(digest, x[i]);
    }
    return digest;
  }

  private static long digest(float[] x, int offset, int count) {
    long digest = 1;
    for (int i = 0; i < count; i++) {
      if (!Float.isFinite(x[offset + i])) {
        throw new IllegalStateException("logit " + i + " is " + x[offset + i]);
      }
      digest = fold(digest, Float.floatToRawIntBits(x[offset + i]));
    }
    return digest;
  }

  private static long fold(long digest, int bits) {
    long next = (digest ^ bits) * 0x9E3779B97F4A7C15L;
    return next ^ next >>> 29;
  }
}
