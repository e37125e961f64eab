package dev.millrace.engine.internal.model;

import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.EmbeddingAndHead;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.pipe.Segment;
import java.util.stream.IntStream;

/**
 * Computes embeddings of texts with an encoder, or with a generating model read at its final norm.
 * It uses the pages of the segment's cache from page 0, so nothing else may use them meanwhile. For
 * one thread at a time.
 */
public final class Embedder {
  private final ModelConfig config;
  private final LoadSettings settings;
  private final Segment segment;
  private final EmbeddingAndHead end;
  private final Batch batch;
  private final float[] row; // (width)

  /**
   * @param settings the settings of the segment
   * @param segment all layers
   */
  public Embedder(
      ModelConfig config, LoadSettings settings, Segment segment, EmbeddingAndHead end) {
    this.config = config;
    this.settings = settings.resolve(config);
    this.segment = segment;
    this.end = end;
    this.batch = new Batch(config.width(), this.settings.maxRows(), this.settings.maxRuns());
    this.row = new float[config.width()];
  }

  /**
   * The pooling that the file names; else the mean for an encoder, and the last row for a model
   * that generates.
   */
  public Pooling usualPooling() {
    return config.pooling().orElse(config.architecture().isEncoder() ? Pooling.MEAN : Pooling.LAST);
  }

  /** The most tokens that a text may have. */
  public int maxTokens() {
    return (int) Math.min(settings.context(), (long) settings.pages() * KvPageSize.POSITIONS);
  }

  /**
   * The vector of a text.
   *
   * @param normalise whether to divide it by its length
   */
  public float[] embed(int[] tokens, Pooling pooling, boolean normalise) {
    return embed(new int[][] {tokens}, pooling, normalise)[0];
  }

  /**
   * The vectors of several texts, each the same as if it were alone; as many as fit are computed
   * together.
   */
  public float[][] embed(int[][] texts, Pooling pooling, boolean normalise) {
    for (int[] text : texts) {
      check(text.length);
    }
    float[][] vectors = new float[texts.length][];
    for (int first = 0; first < texts.length; ) {
      int count = Math.max(1, fitting(texts, first));
      double[][] sums =
          count == 1
              ? new double[][] {alone(texts[first], pooling)}
              : together(texts, first, count, pooling);
      for (int i = 0; i < count; i++) {
        double mean = pooling == Pooling.MEAN ? texts[first + i].length : 1;
        vectors[first + i] = divided(sums[i], normalise ? length(sums[i]) : mean);
      }
      first += count;
    }
    return vectors;
  }

  private void check(int length) {
    if (length == 0 || length > maxTokens()) {
      throw new EngineException(
          "a text of %d tokens cannot be embedded: model '%s' takes 1 to %d"
              .formatted(length, config.name(), maxTokens()));
    }
  }

  /** The number of texts from {@code first} that fit into one batch. */
  private int fitting(int[][] texts, int first) {
    int rows = 0;
    int pages = 0;
    int count = 0;
    while (first + count < texts.length && count < settings.maxRuns()) {
      int length = texts[first + count].length;
      rows += length;
      pages += KvPageSize.countFor(length);
      if (rows > settings.maxRows() || pages > settings.pages()) {
        break;
      }
      count++;
    }
    return count;
  }

  /** Sums the relevant rows of each text, all in one batch. */
  private double[][] together(int[][] texts, int first, int count, Pooling pooling) {
    batch.clear();
    int page = 0;
    for (int i = 0; i < count; i++) {
      int[] text = texts[first + i];
      int next = page + KvPageSize.countFor(text.length);
      int at = batch.add(0, text.length, IntStream.range(page, next).toArray());
      end.embed(batch, at, text, 0, text.length);
      page = next;
    }
    segment.forward(batch);
    double[][] sums = new double[count][config.width()];
    for (int i = 0; i < count; i++) {
      add(i, 0, texts[first + i].length, pooling, sums[i]);
    }
    return sums;
  }

  /** Sums the relevant rows of one text, in as many batches as necessary. */
  private double[] alone(int[] text, Pooling pooling) {
    int[] pages = IntStream.range(0, KvPageSize.countFor(text.length)).toArray();
    double[] sum = new double[config.width()];
    for (int from = 0; from < text.length; from += settings.maxRows()) {
      int count = Math.min(settings.maxRows(), text.length - from);
      batch.clear();
      batch.add(from, count, pages);
      end.embed(batch, 0, text, from, count);
      segment.forward(batch);
      add(0, from, text.length, pooling, sum);
    }
    return sum;
  }

  /** Adds the relevant rows of a run, in the order of their positions. */
  private void add(int run, int firstPosition, int length, Pooling pooling, double[] sum) {
    for (int i = 0; i < batch.rowCount[run]; i++) {
      if (counts(pooling, firstPosition + i, length)) {
        end.norm(batch, batch.firstRow[run] + i, row, 0);
        for (int c = 0; c < sum.length; c++) {
          sum[c] += row[c];
        }
      }
    }
  }

  private static boolean counts(Pooling pooling, int position, int length) {
    return switch (pooling) {
      case MEAN -> true;
      case CLS -> position == 0;
      case LAST -> position == length - 1;
    };
  }

  private static double length(double[] vector) {
    double squares = 0;
    for (double x : vector) {
      squares += x * x;
    }
    return Math.sqrt(squares);
  }

  /** A vector of length 0 has no direction and stays unchanged. */
  private static float[] divided(double[] vector, double divisor) {
    float[] result = new float[vector.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = (float) (divisor == 0 ? vector[i] : vector[i] / divisor);
    }
    return result;
  }
}
