/**
 * The origin: an engine whose other layers are at nodes. It wires the model, the planning of pipes,
 * the audit and the messages with nodes together; frames go from the batch loop to nodes by {@link
 * PipeTransport} and come back by {@link MessageRouter}. Start at {@link Origin}.
 */
@NullMarked
package dev.millrace.cluster.origin;

import org.jspecify.annotations.NullMarked;
