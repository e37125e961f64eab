package dev.millrace.engine.internal.pipe;

import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.sample.Sampler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A model without arithmetic: a hidden state is a hash of the token, its position, the layer and
 * the content of every earlier position in the pages of that layer. Any error with pages,
 * positions, rows or segments changes the tokens. {@link #alone} computes the right tokens without
 * any pages.
 */
public final class FakeModel {
  public static final int VOCABULARY = 150;
  public static final int END = 1;
  static final int WIDTH = 3;

  private final int layers;

  public FakeModel(int layers) {
    this.layers = layers;
  }

  public int layers() {
    return layers;
  }

  /** Segments that begin at these layers, each with its own pages. */
  public List<Segment> cut(int pages, int... starts) {
    List<Segment> segments = new ArrayList<>();
    for (int i = 0; i < starts.length; i++) {
      segments.add(segment(pages, starts[i], i + 1 < starts.length ? starts[i + 1] : layers));
    }
    return segments;
  }

  public Segment segment(int pages, int from, int to) {
    return new FakeSegment(from, to, pages);
  }

  public EmbeddingAndHead end() {
    return new FakeEnd();
  }

  /** The tokens that follow a prompt, by the definition: no pages, no batch. */
  public int[] alone(int[] prompt, Sampling sampling, int count) {
    int[] tokens = Arrays.copyOf(prompt, prompt.length + count);
    long[][] left = new long[layers][tokens.length];
    Sampler sampler = new Sampler(sampling, VOCABULARY);
    float[] hidden = new float[WIDTH];
    float[] logits = new float[VOCABULARY];
    int known = prompt.length;
    for (int p = 0; known < tokens.length; p++) {
      write(hidden, 0, token(tokens[p], p));
      for (int layer = 0; layer < layers; layer++) {
        left[layer][p] = key(read(hidden, 0), layer);
        long seen = 0;
        for (int q = 0; q <= p; q++) {
          seen += look(left[layer][q], p, q);
        }
        write(hidden, 0, mix(read(hidden, 0) ^ seen));
      }
      if (p == known - 1) {
        score(read(hidden, 0), logits, 0);
        int token = sampler.choose(logits, 0, VOCABULARY, null, tokens, known, known);
        if (token == END) {
          break;
        }
        tokens[known++] = token;
      }
    }
    return Arrays.copyOfRange(tokens, prompt.length, known);
  }

  private static long token(int token, int position) {
    return mix(token * 0x9E3779B97F4A7C15L + position);
  }

  private static long key(long hidden, int layer) {
    return mix(hidden + layer * 0x2545F4914F6CDD1DL);
  }

  private static long look(long key, int at, int from) {
    return mix(key ^ ((long) at << 32 | from));
  }

  private static void score(long hidden, float[] logits, int offset) {
    for (int t = 0; t < VOCABULARY; t++) {
      logits[offset + t] = (mix(hidden ^ t * 0x632BE59BD9B4E019L) >>> 40) * 0x1p-21f;
    }
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** A hash as floats that use all their bits, and are changed by any rounding. */
  private static void write(float[] hidden, int row, long value) {
    for (int i = 0; i < WIDTH; i++) {
      hidden[row * WIDTH + i] = (value >>> (22 * i) & 0x3FFFFF | 0x800000) * 0x1p-20f;
    }
  }

  private static long read(float[] hidden, int row) {
    long value = 0;
    for (int i = 0; i < WIDTH; i++) {
      value |= ((long) (hidden[row * WIDTH + i] * 0x1p20f) & 0x3FFFFF) << (22 * i);
    }
    return value;
  }

  private static final class FakeSegment implements Segment {
    private final int from;
    private final int to;
    private final long[][] left; // (layer, position in page)
    private final int[] filled; // positions of each page

    FakeSegment(int from, int to, int pages) {
      this.from = from;
      this.to = to;
      left = new long[to - from][pages * KvPageSize.POSITIONS];
      filled = new int[pages];
      for (long[] layer : left) {
        Arrays.setAll(layer, i -> mix(i)); // not written yet
      }
    }

    @Override
    public int from() {
      return from;
    }

    @Override
    public int to() {
      return to;
    }

    @Override
    public int pages() {
      return filled.length;
    }

    @Override
    public void forward(Batch batch) {
      for (int row = 0; row < batch.rows; row++) {
        fill(batch.pages[batch.runOf[row]], batch.position[row]);
        for (int layer = from; layer < to; layer++) {
          step(batch, row, layer);
        }
      }
    }

    /** A page is written in order, from its first position on; a full one is never written. */
    private void fill(int[] pages, int position) {
      int page = pages[position / KvPageSize.POSITIONS];
      int at = position % KvPageSize.POSITIONS;
      if (at != 0 && filled[page] != at) {
        throw new AssertionError("page %d has %d, written at %d".formatted(page, filled[page], at));
      }
      filled[page] = at + 1;
    }

    private void step(Batch batch, int row, int layer) {
      int[] pages = batch.pages[batch.runOf[row]];
      int p = batch.position[row];
      long hidden = read(batch.hidden, row);
      long[] keys = left[layer - from];
      keys[pages[p / KvPageSize.POSITIONS] * KvPageSize.POSITIONS + p % KvPageSize.POSITIONS] =
          key(hidden, layer);
      long seen = 0;
      for (int q = 0; q <= p; q++) {
        seen +=
            look(
                keys[
                    pages[q / KvPageSize.POSITIONS] * KvPageSize.POSITIONS
                        + q % KvPageSize.POSITIONS],
                p,
                q);
      }
      write(batch.hidden, row, mix(hidden ^ seen));
    }
  }

  private static final class FakeEnd implements EmbeddingAndHead {
    @Override
    public int vocabulary() {
      return VOCABULARY;
    }

    @Override
    public int width() {
      return WIDTH;
    }

    @Override
    public void embed(Batch batch, int row, int[] tokens, int offset, int count) {
      for (int i = 0; i < count; i++) {
        write(batch.hidden, row + i, token(tokens[offset + i], batch.position[row + i]));
      }
    }

    @Override
    public void head(Batch batch, int[] rows, int count, float[] logits) {
      for (int i = 0; i < count; i++) {
        score(read(batch.hidden, rows[i]), logits, i * VOCABULARY);
      }
    }

    @Override
    public void norm(Batch batch, int row, float[] out, int offset) {
      System.arraycopy(batch.hidden, row * WIDTH, out, offset, WIDTH);
    }
  }
}
