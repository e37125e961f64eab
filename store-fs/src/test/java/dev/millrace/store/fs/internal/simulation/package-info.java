/**
 * Runs the threads of a store one at a time, over a simulated disk and clock, in an order that a
 * seed decides; faults come from the same seed. Start at {@link
 * dev.millrace.store.fs.internal.simulation.Simulation}.
 */
@NullMarked
package dev.millrace.store.fs.internal.simulation;

import org.jspecify.annotations.NullMarked;
