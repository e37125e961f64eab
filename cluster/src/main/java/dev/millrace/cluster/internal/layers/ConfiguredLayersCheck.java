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

/** Checks a node's configured layers before it joins the network. */
public final class ConfiguredLayersCheck {
  private static final Pattern ENDING =
      Pattern.compile("(-\\d{5}-of-\\d{5})?\\.gguf$", Pattern.CASE_INSENSITIVE);

  private ConfiguredLayersCheck() {}

  /**
   * @throws ClusterException if a file is not a model, lacks these layers, or all of them need too
   *     much memory
   */
  public static List<LayerEntry> of(NodeSettings settings) {
    List<LayerEntry> all = new ArrayList<>();
    LayerMemoryBudget budget = new LayerMemoryBudget(settings.memory());
    for (ConfiguredLayers layers : settings.layers()) {
      LayerEntry held = of(layers);
      String needs = held.range.choose("needs", "need");
      String what = "%s of %s %s".formatted(held.range.describe(), layers.file(), needs);
      String refusal = budget.refusal(what, held.bytes);
      if (refusal != null) {
        throw new ClusterException(
            refusal
                + "; pass fewer layers or a larger --memory (without it, the limit is half of what"
                + " the machine or its container has)");
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
            "%s is an embedding model: its layers cannot be spread over nodes".formatted(file));
      }
      LayerRange range =
          layers.range() == null ? new LayerRange(0, config.layers()) : layers.range();
      if (range.to() > config.layers()) {
        throw new ClusterException(
            "%s has %s; %s %s asked for"
                .formatted(
                    file,
                    new LayerRange(0, config.layers()).describe(),
                    range.describe(),
                    range.choose("is", "are")));
      }
      long bytes = SegmentWeights.fileBytes(gguf, range.from(), range.to());
      return LayerEntry.configured(name(file), config.layers(), range, file, bytes);
    } catch (EngineException e) {
      throw new ClusterException(e.getMessage(), e);
    }
  }

  /** The model's name: its file name without the ending. */
  static String name(Path file) {
    return ENDING.matcher(String.valueOf(file.getFileName())).replaceFirst("");
  }
}
