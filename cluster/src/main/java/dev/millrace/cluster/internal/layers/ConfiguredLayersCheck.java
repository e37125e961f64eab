package dev.millrace.cluster.internal.layers;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ConfiguredLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.NodeSettings;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.SegmentWeights;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Looks at the layers that a node is told to hold, before it joins: a wrong file ends it there. */
public final class ConfiguredLayersCheck {
  private static final Pattern ENDING =
      Pattern.compile("(-\\d{5}-of-\\d{5})?\\.gguf$", Pattern.CASE_INSENSITIVE);

  private ConfiguredLayersCheck() {}

  /**
   * @throws ClusterException where a file is no model, has not these layers, or all are more than
   *     the node may use
   */
  public static List<LayerEntry> of(NodeSettings settings) {
    List<LayerEntry> all = new ArrayList<>();
    LayerMemoryBudget budget = new LayerMemoryBudget(settings.memoryBytes());
    for (ConfiguredLayers layers : settings.layers()) {
      LayerEntry held = of(layers);
      String needs = LayerText.verb(held.range, "needs", "need");
      String what = "%s of %s %s".formatted(LayerText.describe(held.range), layers.file(), needs);
      String refusal = budget.refusal(what, held.bytes);
      if (refusal != null) {
        throw new ClusterException(refusal + "; name fewer layers, or a larger --memory");
      }
      budget.reserve(held.bytes);
      all.add(held);
    }
    return all;
  }

  private static LayerEntry of(ConfiguredLayers layers) {
    Path file = layers.file();
    try (Gguf gguf = Gguf.open(file)) {
      ModelConfig config = ModelConfig.of(gguf);
      if (config.architecture().isEncoder()) {
        throw new ClusterException(
            "%s gives embeddings and generates no text: its layers cannot be spread"
                .formatted(file));
      }
      LayerRange range =
          layers.range() == null ? new LayerRange(0, config.layers()) : layers.range();
      if (range.to() > config.layers()) {
        throw new ClusterException(
            "%s has %s; %s %s asked for"
                .formatted(
                    file,
                    LayerText.describe(new LayerRange(0, config.layers())),
                    LayerText.describe(range),
                    LayerText.are(range)));
      }
      long bytes = SegmentWeights.fileBytes(gguf, range.from(), range.to());
      return LayerEntry.configured(name(file), config.layers(), range, file, bytes);
    } catch (EngineException e) {
      throw new ClusterException(e.getMessage(), e);
    }
  }

  /** What a model's file is called, without what every name has. */
  static String name(Path file) {
    return ENDING.matcher(String.valueOf(file.getFileName())).replaceFirst("");
  }
}
