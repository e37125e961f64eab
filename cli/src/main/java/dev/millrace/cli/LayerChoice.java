package dev.millrace.cli;

import dev.millrace.cli.args.UsageException;
import dev.millrace.cluster.node.Layers;
import dev.millrace.cluster.place.Range;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.model.ModelConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code --layers} says: {@code FILE:FROM-TO}, both ends counted, {@code FILE:N}, or {@code
 * FILE} for all layers. The file is looked at now: what is not in it cannot be promised to others.
 */
final class LayerChoice {
  private static final Pattern RANGED = Pattern.compile("(.+):(\\d{1,6})(?:-(\\d{1,6}))?");

  private LayerChoice() {}

  static Layers of(Shell shell, String shown, String text) {
    Matcher ranged = RANGED.matcher(text);
    if (Files.exists(shell.path(text)) || !ranged.matches()) {
      Path file = file(shell, shown, text);
      count(file);
      return new Layers(file, null);
    }
    Path file = file(shell, shown, ranged.group(1));
    int from = Integer.parseInt(ranged.group(2));
    int to = ranged.group(3) == null ? from : Integer.parseInt(ranged.group(3));
    return new Layers(file, range(shown, file, from, to));
  }

  private static Path file(Shell shell, String shown, String text) {
    try {
      return ModelChoice.of(shell, text).file().toAbsolutePath().normalize();
    } catch (Refusal e) {
      int colon = text.lastIndexOf(':');
      if (colon > 0 && isModel(shell, text.substring(0, colon))) {
        throw new UsageException(
            shown
                + " \""
                + Printable.line(text, 200)
                + "\": \""
                + Printable.line(text.substring(colon + 1), 100)
                + "\" is no range of layers; it is written FILE:FROM-TO, such as FILE:0-15, FILE:N"
                + " for one layer, FILE for all");
      }
      throw e;
    }
  }

  private static boolean isModel(Shell shell, String text) {
    try {
      ModelChoice.of(shell, text);
      return true;
    } catch (Refusal | UsageException e) {
      return false;
    }
  }

  private static @Nullable Range range(String shown, Path file, int from, int to) {
    int layers = count(file);
    if (from > to || to >= layers) {
      throw new UsageException(
          shown
              + " "
              + Printable.line(String.valueOf(file.getFileName()), 100)
              + ":"
              + from
              + "-"
              + to
              + ": the model has the layers 0 to "
              + (layers - 1)
              + ", and the first comes before the last");
    }
    return new Range(from, to + 1);
  }

  /** How many layers the model has. */
  static int count(Path file) {
    try (Gguf gguf = Gguf.open(file)) {
      return ModelConfig.of(gguf).layers();
    } catch (EngineException e) {
      throw EngineOpening.refusal(file, e);
    }
  }
}
