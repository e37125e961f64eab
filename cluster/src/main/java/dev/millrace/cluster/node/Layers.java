package dev.millrace.cluster.node;

import dev.millrace.cluster.place.Range;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Layers that a node is told to hold.
 *
 * @param file of the model, or the first of its parts
 * @param range null: all of them
 */
public record Layers(Path file, @Nullable Range range) {}
