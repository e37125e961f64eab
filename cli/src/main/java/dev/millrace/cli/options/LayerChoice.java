package dev.millrace.cli.options;

import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.EngineOpener;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.ConfiguredLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses {@code --layers}: {@code MODEL:FROM-TO}, both inclusive, {@code MODEL:N}, or {@code
 * MODEL} for all layers. It checks now that the model has these layers.
 */
final class LayerChoice {
  private static final Pattern RANGED = Pattern.compile("(.+):(\\d{1,6})(?:-(\\d{1,6}))?");

  private LayerChoice() {}

  static ConfiguredLayers of(Shell shell, String shown, String text) {
    Matcher ranged = RANGED.matcher(text);
    // Ollama's names may end like a range: qwen:7 is a whole model if there is one of that name.
    if (!ranged.matches()
        || Files.exists(shell.path(text))
        || ModelChoice.exact(shell, text).isPresent()) {
      Path file = file(shell, shown, text);
      count(file);
      return new ConfiguredLayers(file, null);
    }
    Path file = file(shell, shown, ranged.group(1));
    int from = Integer.parseInt(ranged.group(2));
    int to = ranged.group(3) == null ? from : Integer.parseInt(ranged.group(3));
    return new ConfiguredLayers(file, range(shown, file, from, to));
  }

  private static Path file(Shell shell, String shown, String text) {
    try {
      return ModelChoice.of(shell, text).file().toAbsolutePath().normalize();
    } catch (CommandException e) {
      int colon = text.lastIndexOf(':');
      if (colon > 0 && isModel(shell, text.substring(0, colon))) {
        throw new UsageException(
            shown
                + " \""
                + SanitizedText.line(text, 200)
                + "\": \""
                + SanitizedText.line(text.substring(colon + 1), 100)
                + "\" is not a range of layers; write MODEL:FROM-TO, such as MODEL:0-15, MODEL:N"
                + " for one layer, MODEL for all");
      }
      throw e;
    }
  }

  private static boolean isModel(Shell shell, String text) {
    try {
      ModelChoice.of(shell, text);
      return true;
    } catch (CommandException | UsageException e) {
      return false;
    }
  }

  private static @Nullable LayerRange range(String shown, Path file, int from, int to) {
    int layers = count(file);
    if (from > to || to >= layers) {
      throw new UsageException(
          shown
              + " "
              + SanitizedText.line(String.valueOf(file.getFileName()), 100)
              + ":"
              + from
              + "-"
              + to
              + ": the model has the layers 0 to "
              + (layers - 1)
              + ", and the first comes before the last");
    }
    return new LayerRange(from, to + 1);
  }

  /** How many layers the model has. */
  static int count(Path file) {
    try (Gguf gguf = Gguf.open(file)) {
      return ModelConfig.of(gguf).layers();
    } catch (EngineException e) {
      throw EngineOpener.error(file, e);
    }
  }
}
