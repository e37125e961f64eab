package dev.millrace.cli.options;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.kernel.KernelChoice;
import java.util.Locale;

/** The options of commands that run a model. */
public final class EngineOptions {
  public static final Option MODEL =
      Option.value(
              "model",
              "MODEL",
              "the model: a GGUF file, a name that \"models\" lists or a\n"
                  + "part of one, such as \"house\", the bundled model\n"
                  + "(default: MILLRACE_MODEL)")
          .letter('m');
  public static final String VARIABLE = "MILLRACE_MODEL";
  public static final Option THREADS =
      Option.wholeNumber("threads", "N", "compute threads (default: one for each processor)");
  public static final Option CONTEXT =
      Option.wholeNumber(
          "ctx",
          "N",
          "maximum length of a sequence in tokens (default: what\nthe model was trained on)");
  public static final Option CACHE =
      Option.value("cache", "TYPE", "type of the KV cache: f16 (default) or q8")
          .choices("f16", "q8");
  public static final Option KERNELS =
      Option.value(
              "kernels",
              "TYPE",
              "what computes: native (C, where this machine has such\n"
                  + "kernels; default), vector (Java) or scalar (slow); the\n"
                  + "output is the same")
          .choices("native", "vector", "scalar");

  private EngineOptions() {}

  public static ModelChoice model(Shell shell, Arguments given) {
    String name = given.has(MODEL) ? given.get(MODEL) : shell.variable(VARIABLE);
    if (name == null) {
      throw new UsageException(
          "--model is missing: which GGUF file? "
              + SuggestedCommand.of("models").to("lists those that it finds, and --model house")
              + " is the bundled model");
    }
    return ModelChoice.of(shell, name);
  }

  public static EngineSettings settings(Shell shell, Arguments given) {
    KernelType kernels = kernels(shell, given);
    EngineSettings usual = EngineSettings.usual();
    return usual
        .withKernels(kernels)
        .withThreads(given.integer(THREADS, 1, 1024, usual.threads()))
        .withContext(given.integer(CONTEXT, 2, 1 << 24, 0))
        .withKvType(cache(given));
  }

  /** The kernels that are asked for, or the fastest; warns if this JVM has only slow ones. */
  public static KernelType kernels(Shell shell, Arguments given) {
    try {
      KernelType.vectorBits();
    } catch (EngineException e) {
      throw new CommandException(e.getMessage());
    }
    String asked = given.get(KERNELS);
    KernelType kernels = KernelType.best();
    if (asked != null) {
      return asked(asked, kernels == KernelType.SCALAR);
    }
    if (kernels == KernelType.SCALAR) {
      shell
          .err()
          .println(
              "Warning: this JVM has no Vector API, so computing is slow; start it with "
                  + KernelType.FLAG);
    }
    return kernels;
  }

  private static KernelType asked(String name, boolean onlyScalar) {
    KernelType kernels =
        switch (name.toLowerCase(Locale.ROOT)) {
          case "native" -> KernelType.NATIVE;
          case "vector" -> KernelType.VECTOR;
          case "scalar" -> KernelType.SCALAR;
          default ->
              throw new UsageException(
                  "--kernels is \"" + name + "\": it must be native, vector or scalar");
        };
    if (onlyScalar && kernels != KernelType.SCALAR) {
      throw new CommandException(
          "--kernels " + name + ": this JVM has no Vector API; start it with " + KernelType.FLAG);
    }
    if (kernels == KernelType.NATIVE && KernelChoice.of(kernels) != kernels) {
      throw new CommandException(
          "--kernels native: there are none here: "
              + KernelChoice.reasonAgainstNative()
              + "; leave the option out to compute with vectors");
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
