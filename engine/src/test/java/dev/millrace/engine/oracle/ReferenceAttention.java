package dev.millrace.engine.oracle;

import dev.millrace.engine.oracle.ReferenceWeights.Weight;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attention of one layer over one sequence, with the keys and values of all its positions so
 * far.
 */
final class ReferenceAttention {
  private final Hyperparameters h;
  private final ReferenceWeights weights;
  private final String prefix;
  private final @Nullable ReferenceRope rotation;
  private final int window;
  private final List<double[]> keys = new ArrayList<>();
  private final List<double[]> values = new ArrayList<>();

  ReferenceAttention(Hyperparameters h, ReferenceWeights weights, int layer, int context) {
    this.h = h;
    this.weights = weights;
    this.prefix = "blk." + layer + ".";
    this.rotation = h.rotates() ? ReferenceRope.of(h, weights, layer, context) : null;
    this.window = h.window(layer);
  }

  /** Adds the rows' keys and values, then lets each row look at what it may see. */
  double[][] run(double[][] rows) {
    int first = keys.size();
    double[][] queries = new double[rows.length][];
    for (int i = 0; i < rows.length; i++) {
      double[][] qkv = project(rows[i]);
      queries[i] = place(qkv[0], "attn_q_norm.weight", first + i);
      keys.add(place(qkv[1], "attn_k_norm.weight", first + i));
      values.add(qkv[2]);
    }
    double[][] out = new double[rows.length][];
    for (int i = 0; i < rows.length; i++) {
      double[] attended = attend(queries[i], first + i);
      double[] mixed = weights.get(prefix + "attn_output.weight").times(attended);
      out[i] = ReferenceArithmetic.plus(mixed, weights.vector(prefix + "attn_output.bias"));
    }
    return out;
  }

  /** Queries, keys and values, from three matrices or from one. */
  private double[][] project(double[] row) {
    if (!weights.has(prefix + "attn_qkv.weight")) {
      return new double[][] {linear("attn_q", row), linear("attn_k", row), linear("attn_v", row)};
    }
    double[] all = linear("attn_qkv", row);
    int q = h.heads() * h.headLength();
    int kv = h.kvHeads() * h.headLength();
    return new double[][] {
      Arrays.copyOfRange(all, 0, q),
      Arrays.copyOfRange(all, q, q + kv),
      Arrays.copyOfRange(all, q + kv, q + 2 * kv)
    };
  }

  private double[] linear(String name, double[] row) {
    Weight weight = weights.get(prefix + name + ".weight");
    return ReferenceArithmetic.plus(weight.times(row), weights.vector(prefix + name + ".bias"));
  }

  /** Norms each head, where the model has such a norm, and rotates it. */
  private double[] place(double[] heads, String norm, int position) {
    double[] placed = heads.clone();
    double[] weight = weights.vector(prefix + norm);
    int length = h.headLength();
    for (int at = 0; at < heads.length; at += length) {
      if (weight != null) {
        double[] head = Arrays.copyOfRange(placed, at, at + length);
        System.arraycopy(
            ReferenceArithmetic.rmsNorm(head, weight, h.epsilon()), 0, placed, at, length);
      }
      if (rotation != null) {
        rotation.apply(placed, at, position);
      }
    }
    return placed;
  }

  private double[] attend(double[] query, int position) {
    int length = h.headLength();
    double[] out = new double[query.length];
    int from = h.isEncoder() ? 0 : Math.max(0, position - window + 1);
    int to = h.isEncoder() ? keys.size() : position + 1;
    for (int head = 0; head < h.heads(); head++) {
      int q = head * length;
      int kv = head / (h.heads() / h.kvHeads()) * length;
      double[] scores = new double[to - from];
      for (int p = from; p < to; p++) {
        double score = dot(query, q, keys.get(p), kv, length) * h.attentionScale();
        scores[p - from] = ReferenceArithmetic.softcap(score, h.attentionSoftcap());
      }
      ReferenceArithmetic.softmax(scores);
      for (int p = from; p < to; p++) {
        for (int i = 0; i < length; i++) {
          out[q + i] += scores[p - from] * values.get(p)[kv + i];
        }
      }
    }
    return out;
  }

  private static double dot(double[] a, int aFrom, double[] b, int bFrom, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += a[aFrom + i] * b[bFrom + i];
    }
    return sum;
  }
}
