package dev.millrace.cli;

import dev.millrace.engine.internal.kernel.KernelCompileOptions;
import java.util.Map;

/**
 * The variables of processes that tests start through the launcher: they run the jar of this build,
 * are over soon, and nothing in them is measured.
 */
public final class LauncherEnvironment {
  /** All but the kernels is compiled late. */
  private static final String JAVA_OPTIONS =
      "-XX:+TieredCompilation -XX:CompileThresholdScaling=3.0 "
          + String.join(" ", KernelCompileOptions.atOnce());

  private LauncherEnvironment() {}

  public static void prepare(Map<String, String> environment) {
    environment.put("MILLRACE_NO_BUILD", "1");
    environment.put("MILLRACE_JAVA_OPTS", JAVA_OPTIONS);
    environment.put("MILLRACE_WARMUP", "0");
  }
}
