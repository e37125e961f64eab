/**
 * A node that holds layers and computes them for origins. An origin opens a session, sends frames
 * (steps of its sequences), and closes it; one thread, the {@link ComputeLoop}, owns sessions and
 * layers, and other threads leave tasks for it in a queue or dial other nodes for it ({@link
 * NodeLinks}). Start at {@link LayerNode}.
 */
@NullMarked
package dev.millrace.cluster.node;

import org.jspecify.annotations.NullMarked;
