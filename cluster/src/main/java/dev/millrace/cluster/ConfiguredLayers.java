package dev.millrace.cluster;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Layers that a node is told to hold.
 *
 * @param file of the model, or the first of its parts
 * @param range null: all of them
 */
public record ConfiguredLayers(Path file, @Nullable LayerRange range) {}
