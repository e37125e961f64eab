package dev.millrace.cluster;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Layers that a node holds by its configuration.
 *
 * @param file of the model, or the first of its parts
 * @param range null: all layers
 */
public record ConfiguredLayers(Path file, @Nullable LayerRange range) {}
