/**
 * Models in memory. A segment is a range of layers with its KV cache; the end of a model is its
 * embedding and its head; an end model has the end and possibly some first layers, a local model
 * has all. Start at {@link LocalModel}, then {@link SegmentWeights} and {@link LayerSegment}.
 */
@NullMarked
package dev.millrace.engine.internal.model;

import org.jspecify.annotations.NullMarked;
