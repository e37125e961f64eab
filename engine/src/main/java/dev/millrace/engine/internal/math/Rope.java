package dev.millrace.engine.internal.math;

import dev.millrace.engine.error.EngineException;
import org.jspecify.annotations.Nullable;

/**
 * Rotary position embedding. Built once; before each batch {@link #prepare} computes the rows'
 * cosines and sines, and every layer's queries and keys are then rotated with them. Angles are
 * computed in double precision from the frequency, not by repeated multiplication, so that position
 * 1,000,000 is as exact as position 1.
 */
public final class Rope {
  /** Which two elements of a head make the pair i of {@code dims / 2}. */
  public enum Pairing {
    /** 2i and 2i + 1. */
    NORM,
    /** i and i + dims / 2. */
    NEOX
  }

  /** YaRN's parameters, as GGUF names them; extrapolation is 1 unless the file says otherwise. */
  public record Yarn(float extrapolation, float betaFast, float betaSlow, int originalContext) {}

  /**
   * @param dims how many elements at the start of a head are rotated, even; the others stay
   * @param base the frequency base, such as 10000
   * @param frequencyScale 1 / the linear or YaRN scaling factor; 1 for none
   * @param frequencyFactors divides the frequency of pair i: llama 3's rope_freqs, or the long or
   *     short factors of longrope; (dims / 2)
   * @param attentionFactor multiplies cosines and sines; 1 for none. YaRN's own 1 + 0.1 ln(factor)
   *     comes on top of it
   */
  public record Settings(
      Pairing pairing,
      int dims,
      float base,
      float frequencyScale,
      float @Nullable [] frequencyFactors,
      float attentionFactor,
      @Nullable Yarn yarn) {
    public Settings {
      if (dims <= 0 || dims % 2 != 0) {
        throw new EngineException(
            "rope dimension count is " + dims + ": must be even and positive");
      }
      requirePositive("rope frequency base", base);
      requirePositive("rope frequency scale", frequencyScale);
      requirePositive("rope attention factor", attentionFactor);
      if (frequencyFactors != null && frequencyFactors.length != dims / 2) {
        throw new EngineException(
            "rope has "
                + frequencyFactors.length
                + " frequency factors: must be half its dimension count "
                + dims);
      }
    }

    /** No scaling. */
    public static Settings plain(Pairing pairing, int dims, float base) {
      return new Settings(pairing, dims, base, 1, null, 1, null);
    }

    private static void requirePositive(String name, float value) {
      if (!(value > 0) || Float.isInfinite(value)) {
        throw new EngineException(name + " is " + value + ": must be positive and finite");
      }
    }
  }

  private final Pairing pairing;
  private final int pairs;

  /** The factor on cosines and sines. */
  private final double magnitude;

  /** The angle of pair i at position 1. */
  private final double[] frequency;

  /** (row, pairs) */
  private final float[] cosine;

  /** (row, pairs) */
  private final float[] sine;

  /** @param maxRows the rows of the largest batch */
  public Rope(Settings settings, int maxRows) {
    pairing = settings.pairing;
    pairs = settings.dims / 2;
    frequency = new double[pairs];
    for (int i = 0; i < pairs; i++) {
      frequency[i] = frequency(settings, i);
    }
    boolean stretched = settings.yarn != null && settings.yarn.extrapolation != 0;
    magnitude =
        settings.attentionFactor
            * (stretched ? 1 - 0.1 * StrictMath.log(settings.frequencyScale) : 1);
    cosine = new float[Math.multiplyExact(maxRows, pairs)];
    sine = new float[cosine.length];
  }

  private static double frequency(Settings settings, int pair) {
    double plain = StrictMath.pow(settings.base, -2.0 * pair / settings.dims);
    if (settings.frequencyFactors != null) {
      plain /= settings.frequencyFactors[pair];
    }
    double scaled = plain * settings.frequencyScale;
    Yarn yarn = settings.yarn;
    if (yarn == null) {
      return scaled;
    }
    double mix = kept(settings, yarn, pair) * yarn.extrapolation;
    return scaled * (1 - mix) + plain * mix;
  }

  /**
   * How much of a pair's own frequency YaRN keeps: 1 for pairs that turn often within the original
   * context, 0 for those that turn seldom, linear between.
   */
  private static double kept(Settings settings, Yarn yarn, int pair) {
    double low = Math.max(0, Math.floor(pairThatTurns(settings, yarn, yarn.betaFast)));
    double high =
        Math.min(settings.dims - 1, Math.ceil(pairThatTurns(settings, yarn, yarn.betaSlow)));
    return 1 - Math.clamp((pair - low) / Math.max(0.001, high - low), 0.0, 1.0);
  }

  private static double pairThatTurns(Settings settings, Yarn yarn, double times) {
    double ratio = yarn.originalContext / (times * 2 * Math.PI);
    return settings.dims * StrictMath.log(ratio) / (2 * StrictMath.log(settings.base));
  }

  /**
   * Computes the rotations of the rows [0, rows): row i is at position[i]. Call it once per batch,
   * before {@link #apply}.
   */
  public void prepare(int[] position, int rows) {
    for (int row = 0; row < rows; row++) {
      prepareRow(row, position[row]);
    }
  }

  /** The same for one row: rows may be prepared by different threads. */
  public void prepareRow(int row, int position) {
    int at = row * pairs;
    for (int i = 0; i < pairs; i++) {
      double angle = position * frequency[i];
      cosine[at + i] = (float) (SinCos.cos(angle) * magnitude);
      sine[at + i] = (float) (SinCos.sin(angle) * magnitude);
    }
  }

  /**
   * Rotates {@code heads} heads of {@code headDim} elements each, one after another from {@code
   * offset} on, by the position of the given row. Different rows may be rotated by different
   * threads at the same time.
   */
  public void apply(int row, float[] x, int offset, int heads, int headDim) {
    for (int head = 0; head < heads; head++) {
      if (pairing == Pairing.NEOX) {
        halves(x, offset + head * headDim, row * pairs);
      } else {
        neighbours(x, offset + head * headDim, row * pairs);
      }
    }
  }

  private void halves(float[] x, int first, int at) {
    int second = first + pairs;
    for (int i = 0; i < pairs; i++) {
      float a = x[first + i];
      float b = x[second + i];
      x[first + i] = Math.fma(a, cosine[at + i], -(b * sine[at + i]));
      x[second + i] = Math.fma(b, cosine[at + i], a * sine[at + i]);
    }
  }

  private void neighbours(float[] x, int first, int at) {
    for (int i = 0; i < pairs; i++) {
      float a = x[first + 2 * i];
      float b = x[first + 2 * i + 1];
      x[first + 2 * i] = Math.fma(a, cosine[at + i], -(b * sine[at + i]));
      x[first + 2 * i + 1] = Math.fma(b, cosine[at + i], a * sine[at + i]);
    }
  }
}
