/**
 * The layers that a node holds: finding the file, loading, memory, measured speed, and what is
 * dropped when memory is needed. {@link LayerLoader} loads on a thread of its own; the inventory
 * belongs to the node's compute thread, which takes its tasks from the {@link ComputeQueue}. Start
 * at {@link LayerInventory}.
 */
@NullMarked
package dev.millrace.cluster.internal.layers;

import org.jspecify.annotations.NullMarked;
