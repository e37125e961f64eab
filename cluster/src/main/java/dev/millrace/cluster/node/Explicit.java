package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.place.Range;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.model.ModelConfig;
import dev.millrace.engine.model.SegmentWeights;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Looks at the layers that a node is told to hold, before it joins: a wrong file ends it there. */
final class Explicit {
  private static final Pattern ENDING =
      Pattern.compile("(-\\d{5}-of-\\d{5})?\\.gguf$", Pattern.CASE_INSENSITIVE);

  private Explicit() {}

  /**
   * @throws ClusterException where a file is no model, has not these layers, or all are more than
   *     the node may use
   */
  static List<Held> of(NodeSettings settings) {
    List<Held> all = new ArrayList<>();
    Budget budget = new Budget(settings.memory());
    for (Layers layers : settings.layers()) {
      Held held = of(layers);
      String needs = Phrase.verb(held.range, "needs", "need");
      String what = "%s of %s %s".formatted(Phrase.layers(held.range), layers.file(), needs);
      String refusal = budget.refusal(what, held.bytes);
      if (refusal != null) {
        throw new ClusterException(refusal + "; name fewer layers, or a larger --memory");
      }
      budget.take(held.bytes);
      all.add(held);
    }
    return all;
  }

  private static Held of(Layers layers) {
    Path file = layers.file();
    try (Gguf gguf = Gguf.open(file)) {
      ModelConfig config = ModelConfig.of(gguf);
      if (config.architecture().isEncoder()) {
        throw new ClusterException(
            "%s gives embeddings and generates no text: its layers cannot be spread"
                .formatted(file));
      }
      Range range = layers.range() == null ? new Range(0, config.layers()) : layers.range();
      if (range.to() > config.layers()) {
        throw new ClusterException(
            "%s has %s; %s %s asked for"
                .formatted(
                    file,
                    Phrase.layers(new Range(0, config.layers())),
                    Phrase.layers(range),
                    Phrase.are(range)));
      }
      long bytes = SegmentWeights.fileBytes(gguf, range.from(), range.to());
      return Held.explicit(name(file), config.layers(), range, file, bytes);
    } catch (EngineException e) {
      throw new ClusterException(e.getMessage(), e);
    }
  }

  /** What a model's file is called, without what every name has. */
  static String name(Path file) {
    return ENDING.matcher(String.valueOf(file.getFileName())).replaceFirst("");
  }
}
