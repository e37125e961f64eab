/**
 * The models that are served, by name, and what a loaded one can do: generate ({@link LoadedModel})
 * or embed ({@link LoadedEmbedder}). A local model is loaded from its file through the shelf; a
 * remote model has layers at other nodes, is opened by a {@link RemoteModelOpener} and stays open.
 * Start at {@link ModelLibrary}.
 */
@NullMarked
package dev.millrace.server.infer.model;

import org.jspecify.annotations.NullMarked;
