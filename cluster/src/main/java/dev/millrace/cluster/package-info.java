/**
 * A model's layers on several nodes: the settings and the values that users of the module see. A
 * node holds layers of models, an origin has the end and the first layers of a model and sends each
 * step through a pipe, that is, through nodes that hold the other layers. {@link NodeState} is what
 * a node says of itself, {@link NetworkSettings} how it joins. Start at {@link NodeState}; what
 * runs is {@code cluster.node.LayerNode} and {@code cluster.origin.Origin}.
 */
@NullMarked
package dev.millrace.cluster;

import org.jspecify.annotations.NullMarked;
