package dev.millrace.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The variables of processes that tests start through the launcher: they run the jar of this build,
 * are over soon, and nothing in them is measured.
 */
public final class LauncherEnvironment {
  private static final String ENGINE = "dev.millrace.engine.internal.";

  /** The classes of the Vector API's loops. */
  private static final List<String> LOOPS =
      List.of(
          ENGINE + "kernel.*::*",
          ENGINE + "math.VectorArithmetic::*",
          ENGINE + "cache.VectorAttentionKernels::*");

  private LauncherEnvironment() {}

  public static void prepare(Map<String, String> environment) {
    environment.put("MILLRACE_NO_BUILD", "1");
    environment.put("MILLRACE_JAVA_OPTS", options());
    environment.put("MILLRACE_WARMUP", "0");
  }

  /**
   * Most of the time of a process that generates a few hundred tokens goes into compilation, and
   * into vectors as objects as long as the loops are not compiled. So these are compiled at once,
   * the caller waits for it, once each, and all else is compiled late. It halves the CPU time.
   */
  private static String options() {
    Stream<String> atOnce =
        LOOPS.stream()
            .flatMap(
                loops ->
                    Stream.of(
                        "-XX:CompileCommand=CompileThresholdScaling," + loops + ",0.01",
                        "-XX:CompileCommand=BackgroundCompilation," + loops + ",false"));
    Stream<String> others =
        Stream.of(
            "-XX:+TieredCompilation",
            "-XX:-UseOnStackReplacement",
            "-XX:CompileThresholdScaling=3.0",
            "-XX:CompileCommand=quiet");
    return Stream.concat(others, atOnce).collect(Collectors.joining(" "));
  }
}
