package dev.millrace.engine.oracle;

/**
 * Rotary positions (Su et al. 2021): pair i of a head turns by position · base^(-2i/n) · scale,
 * with the stretchings that long contexts brought: divided by a factor of its own (Llama 3, Phi 3),
 * multiplied by one for all (linear), or a mix of both by wavelength (YaRN, Peng et al. 2023).
 */
final class ReferenceRope {
  private final boolean neighbours;
  private final double[] frequencies;
  private final double magnitude;

  private ReferenceRope(boolean neighbours, double[] frequencies, double magnitude) {
    this.neighbours = neighbours;
    this.frequencies = frequencies;
    this.magnitude = magnitude;
  }

  /**
   * The rotation of a layer.
   *
   * @param context how many positions the model is run with: Phi 3 has other factors where they are
   *     more than it was first trained on
   */
  static ReferenceRope of(Hyperparameters h, ReferenceWeights weights, int layer, int context) {
    int n = h.integer("rope.dimension_count", h.headLength());
    double[] frequencies = new double[n / 2];
    if (h.hasPlainRotation(layer)) {
      plain(frequencies, n, 10000);
      return new ReferenceRope(h.rotatesNeighbours(), frequencies, 1);
    }
    double base = h.number("rope.freq_base", 10000);
    String scaling = h.text("rope.scaling.type", "linear");
    double factor = scaling.equals("none") ? 1 : h.number("rope.scaling.factor", 1);
    plain(frequencies, n, base);
    divideByFactors(frequencies, h, weights, context);
    double magnitude = h.number("rope.scaling.attn_factor", 1);
    if (scaling.equals("yarn")) {
      yarn(frequencies, n, base, factor, originalContext(h));
      return new ReferenceRope(
          h.rotatesNeighbours(), frequencies, magnitude * (1 + 0.1 * Math.log(factor)));
    }
    for (int i = 0; i < n / 2; i++) {
      frequencies[i] /= factor;
    }
    return new ReferenceRope(h.rotatesNeighbours(), frequencies, magnitude);
  }

  private static int originalContext(Hyperparameters h) {
    return h.integer("rope.scaling.original_context_length", h.contextLength());
  }

  private static void plain(double[] frequencies, int n, double base) {
    for (int i = 0; i < n / 2; i++) {
      frequencies[i] = Math.pow(base, -2.0 * i / n);
    }
  }

  private static void divideByFactors(
      double[] frequencies, Hyperparameters h, ReferenceWeights weights, int context) {
    String name = context > originalContext(h) ? "rope_factors_long" : "rope_factors_short";
    double[] factors = weights.vector(name + ".weight");
    if (factors == null) {
      factors = weights.vector("rope_freqs.weight");
    }
    for (int i = 0; factors != null && i < factors.length; i++) {
      frequencies[i] /= factors[i];
    }
  }

  /**
   * Pairs that turn more than 32 times over the original context stay, those that turn less than
   * once are stretched in full, those between are mixed.
   */
  private static void yarn(double[] frequencies, int n, double base, double factor, int original) {
    double low = Math.max(0, Math.floor(pairThatTurns(32, n, base, original)));
    double high = Math.min(n - 1, Math.ceil(pairThatTurns(1, n, base, original)));
    for (int i = 0; i < n / 2; i++) {
      double ramp = Math.clamp((i - low) / Math.max(0.001, high - low), 0, 1);
      frequencies[i] = frequencies[i] / factor * ramp + frequencies[i] * (1 - ramp);
    }
  }

  private static double pairThatTurns(double times, int n, double base, int original) {
    return n * Math.log(original / (times * 2 * Math.PI)) / (2 * Math.log(base));
  }

  /** Rotates a head in place. */
  void apply(double[] heads, int offset, int position) {
    int pairs = frequencies.length;
    for (int i = 0; i < pairs; i++) {
      int a = offset + (neighbours ? 2 * i : i);
      int b = neighbours ? a + 1 : a + pairs;
      double angle = position * frequencies[i];
      double cos = Math.cos(angle) * magnitude;
      double sin = Math.sin(angle) * magnitude;
      double x = heads[a];
      double y = heads[b];
      heads[a] = x * cos - y * sin;
      heads[b] = x * sin + y * cos;
    }
  }
}
