/**
 * GGUF files: found, opened, validated, read through a channel, and written; no inference. A model
 * may be split over several files, called parts here; the header of a file holds its metadata and
 * the list of its tensors. Start at {@link Gguf}; {@link GgufWriter} writes files, {@link
 * ModelFileFinder} finds them.
 */
@NullMarked
package dev.millrace.engine.internal.gguf;

import org.jspecify.annotations.NullMarked;
