/**
 * Placement: which node takes which layers. Pure functions: nodes and their layers in; pipes that
 * can run, and layers to load, out. A pipe is a cover of all layers by stretches, one node each.
 * Start at {@link PipePlanner}.
 */
@NullMarked
package dev.millrace.cluster.internal.place;

import org.jspecify.annotations.NullMarked;
