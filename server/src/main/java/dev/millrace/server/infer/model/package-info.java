/**
 * The models that are served: {@link NamedModel} is one as configured, {@link ModelDescription}
 * what is known before it is loaded, {@link WeightlessModel} what prompts need of it, {@link
 * LoadedModel} or {@link LoadedEmbedder} the loaded model that generates or embeds, and {@link
 * OperatorDefaults} what the operator sets for all. A local model is loaded from its file through
 * the shelf; a remote model has layers at other nodes, is opened by a {@link RemoteModelOpener} and
 * stays open. Start at {@link ModelLibrary}.
 */
@NullMarked
package dev.millrace.server.infer.model;

import org.jspecify.annotations.NullMarked;
