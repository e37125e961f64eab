package dev.millrace.engine.oracle;

import dev.millrace.engine.oracle.ReferenceWeights.Weight;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** The feed-forward network of one layer: plain, gated, or one of experts. */
final class ReferenceFeedForward {
  private final Hyperparameters h;
  private final ReferenceWeights weights;
  private final String prefix;

  ReferenceFeedForward(Hyperparameters h, ReferenceWeights weights, int layer) {
    this.h = h;
    this.weights = weights;
    this.prefix = "blk." + layer + ".";
  }

  double[] run(double[] row) {
    if (weights.has(prefix + "ffn_gate_inp.weight")) {
      return experts(row);
    }
    double[] inner;
    if (weights.has(prefix + "ffn_gate.weight")) {
      inner = gated(linear("ffn_gate", row), linear("ffn_up", row));
    } else if (h.architecture.equals("phi3")) {
      double[] both = linear("ffn_up", row); // the gate, then what it gates
      int half = both.length / 2;
      inner = gated(Arrays.copyOf(both, half), Arrays.copyOfRange(both, half, both.length));
    } else {
      inner = Arrays.stream(linear("ffn_up", row)).map(this::activation).toArray();
    }
    return linear("ffn_down", inner);
  }

  private double[] linear(String name, double[] x) {
    Weight weight = weights.get(prefix + name + ".weight");
    return ReferenceArithmetic.plus(weight.times(x), weights.vector(prefix + name + ".bias"));
  }

  private double[] gated(double[] gate, double[] up) {
    double[] out = new double[up.length];
    for (int i = 0; i < up.length; i++) {
      out[i] = activation(gate[i]) * up[i];
    }
    return out;
  }

  private double activation(double x) {
    return h.usesGelu() ? ReferenceArithmetic.gelu(x) : ReferenceArithmetic.silu(x);
  }

  /** The likeliest experts, each weighted by its share of their probability. */
  private double[] experts(double[] row) {
    double[] probability = weights.get(prefix + "ffn_gate_inp.weight").times(row);
    ReferenceArithmetic.softmax(probability);
    int[] chosen =
        IntStream.range(0, probability.length)
            .boxed()
            .sorted(Comparator.comparingDouble(e -> -probability[e]))
            .limit(h.integer("expert_used_count"))
            .mapToInt(e -> e)
            .toArray();
    double total = Arrays.stream(chosen).mapToDouble(e -> probability[e]).sum();
    double[] out = new double[row.length];
    for (int e : chosen) {
      double[] inner = gated(expert("ffn_gate_exps", e, row), expert("ffn_up_exps", e, row));
      double[] result = expert("ffn_down_exps", e, inner);
      for (int i = 0; i < out.length; i++) {
        out[i] += result[i] * probability[e] / total;
      }
    }
    return out;
  }

  /** The product with one expert's matrix; the tensor has them one after the other. */
  private double[] expert(String name, int expert, double[] x) {
    Weight all = weights.get(prefix + name + ".weight");
    int rows = all.rows() / h.integer("expert_count");
    return all.times(expert * rows, rows, x);
  }
}
