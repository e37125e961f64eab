/**
 * Which pipes an origin runs: planned from the states of nodes, opened, watched, and replaced when
 * a node fails. One thread, the planner's, takes events from the {@link PlannerEventQueue} and acts
 * through {@link PipeActions}. Start at {@link PipeCoordinator}.
 */
@NullMarked
package dev.millrace.cluster.internal.plan;

import org.jspecify.annotations.NullMarked;
