package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.EngineSettings;
import dev.millrace.engine.cache.KvType;
import dev.millrace.engine.tensor.Kernels;
import java.nio.file.Path;
import java.util.Locale;

/** The options of commands that run a model. */
final class EngineOptions {
  static final Option MODEL =
      Option.value(
              "model",
              "F.gguf",
              "the model: a GGUF file, part of the name of one in\n"
                  + "./models or MILLRACE_MODELS_DIR, or \"house\", the model\n"
                  + "that ships (default: MILLRACE_MODEL)")
          .letter('m');
  static final String VARIABLE = "MILLRACE_MODEL";
  static final Option THREADS =
      Option.wholeNumber("threads", "N", "threads that compute (default: one for each processor)");
  static final Option CONTEXT =
      Option.wholeNumber(
          "ctx", "N", "positions of a sequence at most (default: what the\nmodel was trained on)");
  static final Option CACHE =
      Option.value("cache", "TYPE", "how keys and values are kept: f16 (default) or q8");

  private EngineOptions() {}

  static Path model(Shell shell, Arguments given) {
    String name = given.has(MODEL) ? given.get(MODEL) : shell.variable(VARIABLE);
    if (name == null) {
      throw new UsageException(
          "--model is missing: which GGUF file? \"millrace models\" lists those that it finds, and"
              + " --model house is the model that ships");
    }
    return ModelChoice.of(shell, name).file();
  }

  static EngineSettings settings(Shell shell, Arguments given) {
    Kernels kernels = kernels(shell);
    EngineSettings usual = EngineSettings.usual();
    return usual
        .withKernels(kernels)
        .withThreads(given.integer(THREADS, 1, 1024, usual.threads()))
        .withContext(given.integer(CONTEXT, 2, 1 << 24, 0))
        .withKvType(cache(given));
  }

  /** The best that this JVM has; whoever has only the slow one is told. */
  static Kernels kernels(Shell shell) {
    try {
      Kernels.vectorBits();
    } catch (EngineException e) {
      throw new Refusal(e.getMessage());
    }
    Kernels kernels = Kernels.best();
    if (kernels == Kernels.SCALAR) {
      shell
          .err()
          .println(
              "Warning: this JVM has no Vector API, so computing is slow; start it with "
                  + Kernels.FLAG);
    }
    return kernels;
  }

  private static KvType cache(Arguments given) {
    String name = given.get(CACHE);
    return switch (name == null ? "f16" : name.toLowerCase(Locale.ROOT)) {
      case "f16" -> KvType.F16;
      case "q8", "q8_0" -> KvType.Q8;
      default ->
          throw new UsageException(
              given.shown(CACHE) + " is \"" + name + "\": it must be f16 or q8");
    };
  }
}
