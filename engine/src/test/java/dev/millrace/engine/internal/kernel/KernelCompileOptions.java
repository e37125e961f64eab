package dev.millrace.engine.internal.kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * Options for a JVM that computes for some seconds only. Most of its time would go into
 * compilations, and into vectors as objects until the loops of the Vector API are compiled. With
 * these, such a loop is compiled at its first calls, the caller waits for it, and it is compiled
 * once.
 */
public final class KernelCompileOptions {
  private static final String ENGINE = "dev.millrace.engine.internal.";

  private static final List<String> LOOPS =
      List.of(
          ENGINE + "kernel.*::*",
          ENGINE + "math.VectorArithmetic::*",
          ENGINE + "cache.VectorAttentionKernels::*");

  private KernelCompileOptions() {}

  public static List<String> atOnce() {
    List<String> options =
        new ArrayList<>(List.of("-XX:-UseOnStackReplacement", "-XX:CompileCommand=quiet"));
    for (String loops : LOOPS) {
      options.add("-XX:CompileCommand=CompileThresholdScaling," + loops + ",0.01");
      options.add("-XX:CompileCommand=BackgroundCompilation," + loops + ",false");
    }
    return options;
  }
}
