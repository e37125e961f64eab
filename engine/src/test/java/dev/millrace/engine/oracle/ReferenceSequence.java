package dev.millrace.engine.oracle;

import java.util.stream.IntStream;

/** One text that goes through all layers; a decoder's text may come in pieces. */
final class ReferenceSequence {
  private final Hyperparameters h;
  private final ReferenceWeights weights;
  private final ReferenceAttention[] attention;
  private final ReferenceFeedForward[] feedForward;
  private int length;

  ReferenceSequence(Hyperparameters h, ReferenceWeights weights, int context) {
    this.h = h;
    this.weights = weights;
    this.attention =
        IntStream.range(0, h.layers())
            .mapToObj(layer -> new ReferenceAttention(h, weights, layer, context))
            .toArray(ReferenceAttention[]::new);
    this.feedForward =
        IntStream.range(0, h.layers())
            .mapToObj(layer -> new ReferenceFeedForward(h, weights, layer))
            .toArray(ReferenceFeedForward[]::new);
  }

  /** The final states of the next tokens, normed: what the head or the pooling takes. */
  double[][] run(int[] tokens) {
    double[][] rows = new double[tokens.length][];
    for (int i = 0; i < tokens.length; i++) {
      rows[i] = embed(tokens[i], length + i);
    }
    length += tokens.length;
    for (int layer = 0; layer < h.layers(); layer++) {
      rows = h.isEncoder() ? encoderLayer(layer, rows) : decoderLayer(layer, rows);
    }
    return h.isEncoder() ? rows : norm("output_norm", rows);
  }

  private double[] embed(int token, int position) {
    double[] row = weights.get("token_embd.weight").row(token);
    if (h.isGemma()) {
      for (int i = 0; i < row.length; i++) {
        row[i] *= Math.sqrt(h.width());
      }
    }
    if (weights.has("token_types.weight")) { // all tokens are of the first type
      row = ReferenceArithmetic.plus(row, weights.get("token_types.weight").row(0));
    }
    if (weights.has("position_embd.weight")) {
      row = ReferenceArithmetic.plus(row, weights.get("position_embd.weight").row(position));
    }
    return h.isEncoder() ? norm("token_embd_norm", row) : row;
  }

  /** Norms come before attention and network; in Gemma also after them. */
  private double[][] decoderLayer(int layer, double[][] rows) {
    String prefix = "blk." + layer + ".";
    double[][] attended = attention[layer].run(norm(prefix + "attn_norm", rows));
    double[][] out = new double[rows.length][];
    for (int i = 0; i < rows.length; i++) {
      double[] middle =
          ReferenceArithmetic.plus(rows[i], after(prefix + "post_attention_norm", attended[i]));
      double[] network = feedForward[layer].run(norm(prefix + "ffn_norm", middle));
      out[i] = ReferenceArithmetic.plus(middle, after(prefix + "post_ffw_norm", network));
    }
    return out;
  }

  /** Norms come after each sum. */
  private double[][] encoderLayer(int layer, double[][] rows) {
    String prefix = "blk." + layer + ".";
    double[][] attended = attention[layer].run(rows);
    double[][] out = new double[rows.length][];
    for (int i = 0; i < rows.length; i++) {
      double[] middle =
          norm(prefix + "attn_output_norm", ReferenceArithmetic.plus(rows[i], attended[i]));
      double[] network = feedForward[layer].run(middle);
      out[i] = norm(prefix + "layer_output_norm", ReferenceArithmetic.plus(middle, network));
    }
    return out;
  }

  private double[] after(String name, double[] row) {
    return h.isGemma() ? norm(name, row) : row;
  }

  private double[][] norm(String name, double[][] rows) {
    double[][] out = new double[rows.length][];
    for (int i = 0; i < rows.length; i++) {
      out[i] = norm(name, rows[i]);
    }
    return out;
  }

  private double[] norm(String name, double[] row) {
    double[] weight = weights.get(name + ".weight").row(0);
    return h.hasLayerNorms()
        ? ReferenceArithmetic.layerNorm(
            row, weight, weights.get(name + ".bias").row(0), h.epsilon())
        : ReferenceArithmetic.rmsNorm(row, weight, h.epsilon());
  }
}
