package dev.millrace.engine.oracle;

import org.jspecify.annotations.Nullable;

/** The functions of models in F64, by their definitions. */
final class ReferenceArithmetic {
  private ReferenceArithmetic() {}

  static double[] rmsNorm(double[] x, double[] weight, double epsilon) {
    double squares = 0;
    for (double v : x) {
      squares += v * v;
    }
    double factor = 1 / Math.sqrt(squares / x.length + epsilon);
    double[] y = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      y[i] = x[i] * factor * weight[i];
    }
    return y;
  }

  static double[] layerNorm(double[] x, double[] weight, double[] bias, double epsilon) {
    double mean = 0;
    for (double v : x) {
      mean += v / x.length;
    }
    double variance = 0;
    for (double v : x) {
      variance += (v - mean) * (v - mean) / x.length;
    }
    double factor = 1 / Math.sqrt(variance + epsilon);
    double[] y = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      y[i] = (x[i] - mean) * factor * weight[i] + bias[i];
    }
    return y;
  }

  static double silu(double x) {
    return x / (1 + Math.exp(-x));
  }

  /** The tanh form, which llama.cpp takes wherever a model says GELU. */
  static double gelu(double x) {
    return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
  }

  /** Bounds a value smoothly; a cap of 0 does not. */
  static double softcap(double x, double cap) {
    return cap == 0 ? x : cap * Math.tanh(x / cap);
  }

  static void softmax(double[] x) {
    double max = Double.NEGATIVE_INFINITY;
    for (double v : x) {
      max = Math.max(max, v);
    }
    double sum = 0;
    for (int i = 0; i < x.length; i++) {
      x[i] = Math.exp(x[i] - max);
      sum += x[i];
    }
    for (int i = 0; i < x.length; i++) {
      x[i] /= sum;
    }
  }

  static double[] plus(double[] x, double @Nullable [] y) {
    if (y == null) {
      return x;
    }
    double[] sum = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      sum[i] = x[i] + y[i];
    }
    return sum;
  }
}
