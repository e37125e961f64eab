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
    int colon = text.lastIndexOf(':');
    if (colon > 0 && !Files.exists(shell.path(text)) && text.startsWith(".gguf", colon - 5)) {
      throw new UsageException(
          shown
              + " \""
              + Printable.line(text, 200)
              + "\": after the file comes :FROM-TO, such as :0-15, or nothing for all layers");
    }
    return ModelChoice.of(shell, text).file().toAbsolutePath().normalize();
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
